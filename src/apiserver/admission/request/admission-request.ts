import type { AdmissionRequest } from "#/api/admission/v1.ts";
import { table } from "#/std/base/table.ts";
import type { Attributes } from "../../registry/admission.ts";
import { ownTarget, type Target } from "./matched-request.ts";

/** A request as webhooks and policies see it, without its uid and objects. */
type RequestDescription = Omit<AdmissionRequest, "uid" | "object" | "oldObject">;

/**
 * Describes a request.
 * Upstream: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/request/admissionreview.go.
 */
export function describeRequest(attributes: Attributes, target: Target): RequestDescription {
  const { subresource, name, namespace, operation, dryRun, user } = attributes;
  const own = ownTarget(attributes);
  return {
    kind: kindOf(target),
    resource: resourceOf(target),
    ...(subresource === "" ? {} : { subResource: subresource }),
    requestKind: kindOf(own),
    requestResource: resourceOf(own),
    ...(subresource === "" ? {} : { requestSubResource: subresource }),
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    operation,
    userInfo: {
      ...(user.name === "" ? {} : { username: user.name }),
      ...(user.uid ? { uid: user.uid } : {}),
      ...(user.groups.length > 0 ? { groups: [...user.groups] } : {}),
      ...(Object.keys(user.extra ?? {}).length > 0
        ? { extra: user.extra as Record<string, string[]> }
        : {}),
    },
    dryRun,
    ...(operation === "CONNECT" ? {} : { options: optionsOf(attributes) }),
  };
}

const kindOf = ({ kind: { group, version, kind } }: Target) => ({ group, version, kind });
const resourceOf = ({ group, version, resource }: Target) => ({ group, version, resource });

const optionKinds: Readonly<Record<string, string>> = table({
  CREATE: "CreateOptions",
  UPDATE: "UpdateOptions",
  DELETE: "DeleteOptions",
});

/** The options of the verb as an object of their own kind, with the client's values. */
function optionsOf({ operation, options, dryRun }: Attributes): Record<string, unknown> {
  const described = { kind: optionKinds[operation], apiVersion: "meta.k8s.io/v1" };
  if (operation === "DELETE") {
    const { kind, apiVersion, ...said } = options;
    return { ...described, ...said };
  }
  const { fieldManager, fieldValidation } = options;
  return {
    ...described,
    ...(dryRun ? { dryRun: ["All"] } : {}),
    ...(fieldManager ? { fieldManager } : {}),
    ...(fieldValidation && fieldValidation !== "Warn" ? { fieldValidation } : {}),
  };
}
