-- Two transforms, for records of community MinIO's audit log: docs/how-to/log-a-community-minio.md.
-- The types are given, because the fields that entries have differ from one to the next.
SELECT
  from_json(
    CAST(_kafka.raw_value AS STRING),
    'STRUCT<
     version: STRING,
     time: STRING,
     trigger: STRING,
     api: STRUCT<
       name: STRING,
       bucket: STRING,
       object: STRING,
       objects: ARRAY<STRUCT<objectName: STRING, versionId: STRING>>,
       statusCode: INT,
       rx: BIGINT,
       tx: BIGINT,
       txHeaders: BIGINT,
       timeToFirstByte: STRING,
       timeToResponse: STRING>,
     remotehost: STRING,
     requestID: STRING,
     userAgent: STRING,
     requestPath: STRING,
     requestHost: STRING,
     requestNode: STRING,
     requestClaims: MAP<STRING, STRING>,
     requestQuery: MAP<STRING, STRING>,
     requestHeader: MAP<STRING, STRING>,
     responseHeader: MAP<STRING, STRING>,
     tags: MAP<STRING, STRING>,
     accessKey: STRING,
     parentUser: STRING>'
  ) AS entry
FROM record;

SELECT
  entry.version AS version,
  entry.time AS time,
  entry.requestNode AS node,
  -- The server sends ` ilm:transition`, with a blank before it.
  CASE
    WHEN trim(entry.trigger) = 'incoming' THEN 'client'
    WHEN trim(entry.trigger) LIKE 'ilm:%' THEN 'ilm'
    WHEN trim(entry.trigger) LIKE 'replicate:%' THEN 'replicate'
    WHEN trim(entry.trigger) IN ('HealObject', 'DeleteDanglingObject') THEN 'heal'
    WHEN trim(entry.trigger) IN ('decommission', 'rebalance') THEN trim(entry.trigger)
    WHEN trim(entry.trigger) = 'KeyRotate' THEN 'batch'
  END AS origin,
  CASE
    WHEN entry.requestPath LIKE '/minio/admin/%' OR entry.requestPath LIKE '/minio/kms/%' THEN 'admin'
    WHEN entry.api.name LIKE 'AssumeRole%' THEN 'auth'
    WHEN entry.api.object IS NOT NULL OR size(entry.api.objects) > 0 THEN 'object'
    WHEN entry.api.bucket IS NOT NULL OR entry.api.name IS NOT NULL THEN 'bucket'
  END AS type,
  concat(
    CASE
      WHEN entry.requestPath LIKE '/minio/admin/%' OR entry.requestPath LIKE '/minio/kms/%' THEN 'admin.'
      WHEN entry.api.name LIKE 'AssumeRole%' THEN 'sts.'
      ELSE 's3.'
    END,
    entry.api.name
  ) AS name,
  entry.api.bucket AS bucket,
  coalesce(
    entry.api.object,
    CASE WHEN size(entry.api.objects) = 1 THEN get(entry.api.objects, 0).objectName END
  ) AS object,
  coalesce(
    nullif(try_element_at(entry.requestQuery, 'versionId'), ''),
    get(map_values(map_filter(entry.responseHeader, (header, text) -> lower(header) = 'x-amz-version-id')), 0),
    get(entry.api.objects, 0).versionId
  ) AS versionId,
  CASE
    WHEN size(entry.api.objects) > 1 THEN map_concat(
      map_filter(coalesce(entry.tags, map()), (tag, text) -> tag <> 'objects'),
      map('objects', to_json(entry.api.objects))
    )
    ELSE entry.tags
  END AS tags,
  -- What the server did by itself was no call.
  CASE WHEN entry.requestID IS NOT NULL THEN named_struct(
    'httpStatusCode', entry.api.statusCode,
    'rx', CASE WHEN entry.api.rx >= 0 THEN entry.api.rx END,
    'tx', CASE WHEN entry.api.tx >= 0 THEN entry.api.tx END,
    'txHeaders', entry.api.txHeaders,
    'timeToFirstByte', entry.api.timeToFirstByte,
    'timeToResponse', entry.api.timeToResponse,
    'sourceHost', entry.remotehost,
    'requestID', entry.requestID,
    'userAgent', entry.userAgent,
    'requestPath', entry.requestPath,
    'requestHost', entry.requestHost,
    'requestClaims', transform_values(entry.requestClaims, (claim, text) -> CASE
      WHEN claim RLIKE '(?i)secret|password|token|credential|signature|api-?key' THEN '***'
      ELSE text
    END),
    'requestQuery', transform_values(entry.requestQuery, (parameter, text) -> CASE
      WHEN parameter RLIKE '(?i)secret|password|(?<!continuation-)token|credential|signature|api-?key' THEN '***'
      ELSE text
    END),
    'requestHeader', transform_values(entry.requestHeader, (header, text) -> CASE
      WHEN header RLIKE '(?i)authorization|cookie|secret|password|token|credential|signature|api-?key|customer-key' THEN '***'
      -- It may be a presigned URL.
      WHEN lower(header) = 'referer' THEN substring_index(text, '?', 1)
      ELSE text
    END),
    'responseHeader', transform_values(entry.responseHeader, (header, text) -> CASE
      WHEN header RLIKE '(?i)authorization|cookie|secret|password|token|credential|signature|api-?key|customer-key' THEN '***'
      WHEN lower(header) = 'location' THEN substring_index(text, '?', 1)
      ELSE text
    END),
    'accessKey', entry.accessKey,
    'parentUser', entry.parentUser
  ) END AS callInfo
FROM record
-- The warehouse's own traffic would be logged for ever: to write rows makes more of it.
WHERE coalesce(entry.api.bucket, '') <> '${WAREHOUSE_NAME}'
  AND coalesce(entry.api.bucket, '') NOT LIKE '.minio.sys%';
