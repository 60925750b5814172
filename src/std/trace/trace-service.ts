/** Upstream: opentelemetry-proto (collector/trace/v1), and the batch processor of OpenTelemetry's Go library. */
import { service, unary } from "../grpc/grpc.ts";
import { message, nested, oneof, repeated } from "../protobuf/protobuf.ts";
import {
  bool,
  bytes,
  double,
  enumeration,
  fixed64,
  int64,
  string,
} from "../protobuf/protobuf-field.ts";

const AnyValue = message({
  value: oneof({ string: string(1), bool: bool(2), int: int64(3), double: double(4) }),
});

const KeyValue = message({ key: string(1), value: nested(2, AnyValue) });

const Link = message({ traceId: bytes(1), spanId: bytes(2) });

const Status = message({ message: string(2), code: enumeration(3, { UNSET: 0, OK: 1, ERROR: 2 }) });

const OtlpSpan = message({
  traceId: bytes(1),
  spanId: bytes(2),
  parentSpanId: bytes(4),
  name: string(5),
  kind: enumeration(6, {
    ...{ unspecified: 0, internal: 1, server: 2 },
    ...{ client: 3, producer: 4, consumer: 5 },
  }),
  startTimeUnixNano: fixed64(7),
  endTimeUnixNano: fixed64(8),
  attributes: repeated(nested(9, KeyValue)),
  links: repeated(nested(13, Link)),
  status: nested(15, Status),
});

const ScopeSpans = message({
  scope: nested(1, message({ name: string(1), version: string(2) })),
  spans: repeated(nested(2, OtlpSpan)),
});

const ResourceSpans = message({
  resource: nested(1, message({ attributes: repeated(nested(1, KeyValue)) })),
  scopeSpans: repeated(nested(2, ScopeSpans)),
});

const ExportRequest = message({ resourceSpans: repeated(nested(1, ResourceSpans)) });

/** The gRPC service of trace collectors. */
export const TraceService = service("opentelemetry.proto.collector.trace.v1.TraceService", {
  Export: unary(ExportRequest, message({})),
});
