"""Headers for every answer: Connect's notation, and its rules of cross-origin requests."""

import pytest

from frazil.control_api.core.cors import Cors
from frazil.control_api.core.header_rules import HeaderRuleError, parse_header_rules

ORIGIN = "https://console.test"
PREFLIGHT = {"origin": ORIGIN, "access-control-request-method": "PUT"}


class TestRules:
    def test_rules_stand_between_commas_unless_quotes_keep_them_together(self) -> None:
        text = 'set X-Frame-Options: DENY, "add Cache-Control: no-cache, no-store",add X-A:b c'
        found = [(r.name, r.value, r.replaces) for r in parse_header_rules(text)]
        assert found == [
            ("X-Frame-Options", "DENY", True),
            ("Cache-Control", "no-cache, no-store", False),
            ("X-A", "b c", False),
        ]

    def test_no_text_is_no_rule(self) -> None:
        assert parse_header_rules("") == parse_header_rules("  ") == ()

    def test_a_date_is_so_long_after_the_answer(self) -> None:
        (rule,) = parse_header_rules("setDate Expires: 60000")
        assert rule.text(0.0) == "Thu, 01 Jan 1970 00:01:00 GMT"

    @pytest.mark.parametrize(
        "text",
        [
            "X-A: b",
            "put X-A: b",
            "set X A: b",
            "set X-A",
            "addDate X-A: soon",
            "set X-A: b\nX-B: c",
        ],
    )
    def test_what_is_no_rule_is_refused(self, text: str) -> None:
        with pytest.raises(HeaderRuleError):
            parse_header_rules(text)


class TestCors:
    def test_without_origins_there_are_no_headers(self) -> None:
        assert dict(Cors().headers("OPTIONS", PREFLIGHT)) == {}

    @pytest.mark.parametrize(
        "origins", ["*", ORIGIN, f"http://other.test, {ORIGIN}", r"https://.*\.test"]
    )
    def test_an_allowed_origin_is_repeated(self, origins: str) -> None:
        assert dict(Cors(origins).headers("GET", {"origin": ORIGIN})) == {
            "Vary": "Origin",
            "Access-Control-Allow-Origin": ORIGIN,
        }

    @pytest.mark.parametrize("origins", ["https://console", "http://other.test", "["])
    def test_another_origin_gets_nothing_that_a_cache_could_mix_up(self, origins: str) -> None:
        assert dict(Cors(origins).headers("GET", {"origin": ORIGIN})) == {"Vary": "Origin"}
        assert dict(Cors(origins).headers("GET", {})) == {"Vary": "Origin"}

    @pytest.mark.parametrize(
        ("origins", "origin"),
        [
            ("https://app.example.com", "https://appXexample.com"),
            ("https://a.b:8443", "https://aXb:8443"),
            ("http://[::1]:3000", "http://1:3000"),
        ],
    )
    def test_a_plain_origin_is_no_pattern(self, origins: str, origin: str) -> None:
        assert not Cors(origins).allows(origin)
        assert Cors(origins).allows(origins)

    def test_an_origin_with_more_than_dots_is_a_pattern_as_in_kafka_connect(self) -> None:
        assert Cors(r"https://[a-z]+\.example\.com").allows("https://app.example.com")
        assert not Cors(r"https://[a-z]+\.example\.com").allows("https://appXexample.com")

    @pytest.mark.parametrize(("methods", "named"), [("", "HEAD,GET,POST"), ("PUT", "PUT")])
    def test_a_preflight_is_told_methods_and_headers(self, methods: str, named: str) -> None:
        found = dict(Cors("*", methods).headers("OPTIONS", PREFLIGHT))
        assert found["Access-Control-Allow-Methods"] == named
        assert found["Access-Control-Allow-Headers"] == "Content-Type"
        assert found["Access-Control-Max-Age"] == "60"
