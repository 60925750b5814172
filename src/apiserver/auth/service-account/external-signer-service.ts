import { service, unary } from "#/std/grpc/grpc.ts";
import { message, nested, repeated } from "#/std/protobuf/protobuf.ts";
import { bool, bytes, int64, string } from "#/std/protobuf/protobuf-field.ts";

/** Upstream: staging/src/k8s.io/externaljwt/apis/v1/api.proto, pkg/serviceaccount/externaljwt/plugin. */
export const externalSignerService = service("v1.ExternalJWTSigner", {
  Sign: unary(message({ claims: string(1) }), message({ header: string(1), signature: string(2) })),
  FetchKeys: unary(
    message({}),
    message({
      keys: repeated(
        nested(1, message({ keyId: string(1), key: bytes(2), excludeFromOidcDiscovery: bool(3) })),
      ),
      refreshHintSeconds: int64(3),
    }),
  ),
  Metadata: unary(message({}), message({ maxTokenExpirationSeconds: int64(1) })),
});
