"""The doctor of the container stack: all rules, over all facts."""

from frazil.cli.containers import data_rules, system_rules
from frazil.cli.containers.facts import Facts
from frazil.cli.containers.findings import Finding, Rule

RULES: tuple[Rule, ...] = (
    system_rules.containers,
    system_rules.provisioner,
    system_rules.ports,
    system_rules.stores,
    system_rules.key,
    system_rules.known_keys,
    data_rules.connectors,
    data_rules.empty_tables,
    system_rules.trino,
    system_rules.disk,
)


def diagnose(facts: Facts) -> list[Finding]:
    """Find all that is wrong; of a stack that is not there nothing else is said."""
    absent = list(system_rules.absent(facts))
    return absent or [finding for rule in RULES for finding in rule(facts)]
