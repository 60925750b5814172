import type { Service } from "#/api/core/v1.ts";
import type { RouteBackendRef } from "../api/gateway-objects.ts";
import { gatewayGroup } from "../api/gateway-resources.ts";
import type { BackendRef } from "../table/route-target.ts";
import { isFalse, type PlainCondition } from "./condition.ts";
import type { MayRefer } from "./grants.ts";

/** The route that refers to a backend. */
export interface RouteIdentity {
  readonly kind: string;
  readonly namespace: string;
}

/** What backends are resolved with. */
export interface BackendFacts {
  readonly mayRefer: MayRefer;
  readonly service: (namespace: string, name: string) => Service | undefined;
}

/** A backend, or why there is none. */
type ResolvedRef =
  | { readonly ref: BackendRef; readonly problem?: undefined }
  | { readonly ref?: undefined; readonly problem: PlainCondition };

/** The Service that a route refers to; pure. */
export function resolveRef(
  { group = "", kind = "Service", name, namespace, port }: RouteBackendRef,
  route: RouteIdentity,
  { mayRefer, service }: BackendFacts,
): ResolvedRef {
  const failed = (reason: string, message: string): ResolvedRef => ({
    problem: isFalse("ResolvedRefs", reason, message),
  });
  if (group !== "" || kind !== "Service") {
    return failed("InvalidKind", `backend ${kind} ${name} is not a Service`);
  }
  const target = namespace ?? route.namespace;
  const from = { group: gatewayGroup, kind: route.kind, namespace: route.namespace };
  if (!mayRefer(from, { group, kind, namespace: target, name })) {
    const message = `no ReferenceGrant permits a reference to Service ${target}/${name}`;
    return failed("RefNotPermitted", message);
  }
  const found = service(target, name);
  if (!found) return failed("BackendNotFound", `Service ${target}/${name} does not exist`);
  if (found.spec.type === "ExternalName") {
    return failed("UnsupportedProtocol", `Service ${target}/${name} is of type ExternalName`);
  }
  const declared = found.spec.ports?.find((one) => one.port === port);
  if (!declared || port === undefined) {
    return failed("BackendNotFound", `Service ${target}/${name} has no port ${port ?? ""}`);
  }
  if (declared.protocol && declared.protocol !== "TCP") {
    return failed("UnsupportedProtocol", `port ${port} of Service ${target}/${name} is not TCP`);
  }
  return { ref: { namespace: target, service: name, port } };
}
