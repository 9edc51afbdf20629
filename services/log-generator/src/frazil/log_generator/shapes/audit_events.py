"""What an administrator can do, in both tellings: `action` with `details`, then `message`."""

from dataclasses import dataclass, field
from typing import Any

UNSET_TIME = "0001-01-01T00:00:00Z"  # how Go spells a time that nobody set


@dataclass(frozen=True, eq=False)
class Event:
    """One kind of change. `{user}`, `{bucket}` and `{node}` in texts stand for names."""

    category: str
    api: str
    action: str
    message: str
    weight: float = 1
    member: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    diff: tuple[str, str] | None = None
    bucket: bool = False


_IAM_COUNTERS = {
    f"{what}{how}": count
    for what, count in (("users", 3), ("policies", 2), ("groups", 0), ("svcAccts", 7))
    for how in ("Added", "Removed", "Skipped", "Failed")
    if count
}


def _bucket_config(category: str, call: str, action: str, weight: float) -> Event:
    return Event(
        category,
        f"s3.{call}",
        action,
        f"{category.capitalize()} of {{bucket}} changed",
        weight,
        "bucketConfig",
        {"bucketName": "{bucket}", "configType": category},
        bucket=True,
    )


EVENTS = (
    _bucket_config("replication", "PutBucketReplication", "set", 3),
    _bucket_config("notification", "PutBucketNotification", "set", 2),
    _bucket_config("encryption", "PutBucketEncryption", "enable", 2),
    _bucket_config("cors", "DeleteBucketCors", "clear", 1),
    _bucket_config("versioning", "PutBucketVersioning", "enable", 4),
    Event(
        "config",
        "admin.SetConfigKV",
        "set",
        "Configuration api set",
        6,
        "config",
        {"subSystem": "api", "key": "requests_max", "oldValue": "auto", "newValue": "3200"},
        ("requests_max=auto", "requests_max=3200"),
    ),
    Event(
        "config",
        "admin.SetConfigKV",
        "reset",
        "Configuration notify_webhook reset",
        1,
        "config",
        {
            "subSystem": "notify_webhook",
            "target": "primary",
            "key": "auth_token",
            "oldValue": "*redacted*",
            "newValue": "*redacted*",
        },
    ),
    Event(
        "user",
        "admin.AddUser",
        "create",
        "User {user} created",
        14,
        "user",
        {
            "userName": "{user}",
            "userType": "internal",
            "newStatus": "enabled",
            "policies": ["readwrite"],
            "groups": ["data"],
        },
    ),
    Event(
        "user",
        "admin.SetUserStatus",
        "disable",
        "User {user} disabled",
        5,
        "user",
        {"userName": "{user}", "field": "status", "oldStatus": "enabled", "newStatus": "disabled"},
        ("enabled", "disabled"),
    ),
    Event(
        "user",
        "admin.RemoveUser",
        "delete",
        "User {user} removed",
        3,
        "user",
        {"userName": "{user}"},
    ),
    Event(
        "service-account",
        "admin.AddServiceAccount",
        "create",
        "Service account created for {user}",
        12,
        "serviceAccount",
        {"accountName": "svc-{user}", "parentUser": "{user}", "expiration": UNSET_TIME},
    ),
    Event(
        "service-account",
        "admin.UpdateServiceAccount",
        "update",
        "Service account svc-{user} updated",
        5,
        "serviceAccount",
        {"accountName": "svc-{user}", "expiration": "2027-01-01T00:00:00Z", "updatedExpiry": True},
    ),
    Event(
        "policy",
        "admin.AddCannedPolicy",
        "create",
        "Policy readonly-{bucket} created",
        6,
        "policy",
        {"policyName": "readonly-{bucket}", "newPolicy": '{"Version":"2012-10-17"}'},
        ("", '{"Version":"2012-10-17"}'),
    ),
    Event(
        "policy",
        "admin.AttachDetachPolicy",
        "attach",
        "Policy readwrite attached to {user}",
        6,
        "policy",
        {
            "policyName": "readwrite",
            "operation": "attach",
            "user": "{user}",
            "policiesAttached": ["readwrite"],
        },
    ),
    Event(
        "policy",
        "admin.AttachDetachPolicy",
        "detach",
        "Policy readwrite detached",
        2,
        "policy",
        {"policyName": "readwrite", "group": "data", "policiesDetached": ["readwrite"]},
    ),
    Event(
        "group",
        "admin.UpdateGroupMembers",
        "update",
        "Group data changed",
        4,
        "group",
        {"groupName": "data", "membersAdded": ["{user}"]},
    ),
    Event(
        "bucket",
        "s3.PutBucket",
        "create",
        "Bucket {bucket} created",
        10,
        "bucketConfig",
        {"bucketName": "{bucket}"},
        bucket=True,
    ),
    Event(
        "bucket",
        "admin.SetBucketQuota",
        "set",
        "Quota of {bucket} set",
        2,
        "bucketQuota",
        {"bucketName": "{bucket}", "quotaSize": 2**64 - 1, "quotaType": "hard"},
        bucket=True,
    ),
    Event(
        "lifecycle",
        "s3.PutBucketLifecycle",
        "set",
        "Lifecycle of {bucket} set",
        5,
        "bucketConfig",
        {
            "bucketName": "{bucket}",
            "configType": "lifecycle",
            "newConfig": "<LifecycleConfiguration/>",
        },
        ("", "<LifecycleConfiguration/>"),
        bucket=True,
    ),
    Event(
        "lifecycle",
        "admin.AddTier",
        "create",
        "Tier COLD added",
        1,
        "tier",
        {"tierName": "COLD", "tierType": "s3"},
    ),
    Event(
        "service",
        "admin.Service",
        "restart",
        "Service restarted",
        1,
        "service",
        {"operation": "restart", "status": "ok"},
    ),
    Event(
        "service",
        "admin.ImportIAM",
        "restore",
        "IAM data imported",
        1,
        "service",
        {"serviceName": "iam", "operation": "import", "iamImport": _IAM_COUNTERS},
    ),
    Event(
        "kms",
        "admin.KMSCreateKey",
        "create",
        "Key logs-key created",
        1,
        "kms",
        {"keyId": "logs-key", "operation": "create"},
    ),
    Event(
        "site-replication",
        "admin.SiteReplicationAdd",
        "start",
        "Site dr added",
        1,
        "siteRepl",
        {"siteName": "dr", "endpoint": "https://dr.example:9000", "sites": ["main", "dr"]},
    ),
    Event(
        "pool",
        "admin.StartDecommission",
        "start",
        "Decommission of pool 2 started",
        1,
        "pool",
        {"poolIndex": 2, "endpoints": ["https://{node}/data{1...4}"], "operation": "start"},
    ),
    Event(
        "idp",
        "admin.SetIdentityProviderCfg",
        "update",
        "OpenID provider changed",
        1,
        "idp",
        {
            "idpName": "sso",
            "idpType": "openid",
            "configKey": "client_secret",
            "oldValue": "*redacted*",
            "newValue": "*redacted*",
        },
    ),
    Event(
        "log-recorder",
        "admin.SetConfigKV",
        "enable",
        "API log recorder enabled",
        1,
        "recorder",
        {"logType": "api", "newEnabled": True, "oldLimit": "1GiB", "newLimit": "4GiB"},
    ),
    Event(
        "heal",
        "admin.Heal",
        "start",
        "Heal of {bucket} started",
        3,
        "heal",
        {"operation": "start", "bucket": "{bucket}"},
        bucket=True,
    ),
    Event(
        "batch",
        "admin.StartBatchJob",
        "start",
        "Batch job KR5bcPnDFfdBQr started",
        2,
        "batch",
        {"jobID": "KR5bcPnDFfdBQr", "jobType": "keyrotate", "user": "{user}"},
    ),
    Event(
        "batch",
        "admin.CancelBatchJob",
        "stop",
        "Batch job KR5bcPnDFfdBQr stopped",
        1,
        "batch",
        {"jobID": "KR5bcPnDFfdBQr", "jobType": "keyrotate", "user": "{user}"},
    ),
    # A category that no list of categories has: what comes after us will not ask.
    Event(
        "inventory",
        "s3.PutBucketInventory",
        "set",
        "Inventory of {bucket} set",
        0.3,
        "bucketInventory",
        {"bucketName": "{bucket}", "inventoryID": "daily", "schedule": "daily"},
        bucket=True,
    ),
)
