import type { Resource } from "#/api/base/resource.ts";
import type {
  BackendTlsPolicy,
  Gateway,
  GatewayClass,
  GrpcRoute,
  HttpRoute,
  ListenerSet,
  ReferenceGrant,
  TlsRoute,
} from "./gateway-objects.ts";

/** The group of the Gateway API. */
export const gatewayGroup = "gateway.networking.k8s.io";

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** The handle of a custom resource of the group, in a version. */
function handle<T>(kind: string, name: string, version: string, namespaced = true): Resource<T> {
  const group = gatewayGroup;
  const status = { name: "status", group, version, kind, verbs: ["get", "patch", "update"] };
  return {
    group,
    version,
    kind,
    name,
    singular: kind.toLowerCase(),
    namespaced,
    shortNames: [],
    categories: [],
    verbs,
    subresources: [status],
  };
}

export const gatewayClasses = handle<GatewayClass>("GatewayClass", "gatewayclasses", "v1", false);
export const gateways = handle<Gateway>("Gateway", "gateways", "v1");
export const httpRoutes = handle<HttpRoute>("HTTPRoute", "httproutes", "v1");
export const grpcRoutes = handle<GrpcRoute>("GRPCRoute", "grpcroutes", "v1");
export const tlsRoutes = handle<TlsRoute>("TLSRoute", "tlsroutes", "v1");
export const listenerSets = handle<ListenerSet>("ListenerSet", "listenersets", "v1");
export const backendTlsPolicies = handle<BackendTlsPolicy>(
  "BackendTLSPolicy",
  "backendtlspolicies",
  "v1",
);
export const referenceGrants = handle<ReferenceGrant>(
  "ReferenceGrant",
  "referencegrants",
  "v1beta1",
);
