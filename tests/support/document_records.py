"""The example record of each log, as the documents of the pipeline print it."""

from frazil.contracts.log_topics import Topic

EXAMPLES = {
    Topic.API: """
{
  "version": "1",
  "time": "2025-01-15T10:30:00.000Z",
  "node": "minio-node-1",
  "origin": "client",
  "type": "object",
  "name": "s3.GetObject",
  "bucket": "testbucket",
  "object": "file.txt",
  "versionId": "",
  "tags": {},
  "callInfo": {
    "httpStatusCode": 200,
    "rx": 0,
    "tx": 1024,
    "txHeaders": 256,
    "timeToFirstByte": "5ms",
    "requestReadTime": "2ms",
    "responseWriteTime": "10ms",
    "requestTime": "15ms",
    "timeToResponse": "12ms",
    "sourceHost": "192.168.1.100",
    "requestID": "17A3C4775707B695",
    "userAgent": "MinIO (linux; amd64) minio-go/v7.0.0",
    "requestPath": "/testbucket/file.txt",
    "requestHost": "localhost:9000",
    "accessKey": "minioadmin"
  }
}
""",
    Topic.ERROR: """
{
  "version": "1",
  "node": "minio-node-1",
  "time": "2025-01-15T10:30:00.000Z",
  "message": "The specified bucket does not exist",
  "apiName": "s3.GetObject",
  "trace": {
    "source": ["api-errors.go:150", "bucket-handlers.go:420"],
    "variables": {"bucket": "nonexistent"}
  },
  "tags": {
    "bucket": "nonexistent"
  }
}
""",
    Topic.AUDIT: r"""
{
  "version": "1",
  "time": "2025-01-15T10:30:00.000Z",
  "node": "minio-node-1",
  "apiName": "s3.PutObject",
  "category": "bucket",
  "action": "create",
  "bucket": "testbucket",
  "tags": {},
  "requestID": "17A3C4775707B695",
  "requestClaims": {},
  "sourceHost": "192.168.1.100",
  "accessKey": "minioadmin",
  "parentUser": "",
  "details": "{\"bucketName\":\"testbucket\"}"
}
""",
}
