import { ensureNamespace, wipeSystemFields } from "../../registry/object-lifecycle.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import type { ActionStrategy, Decoded } from "../../registry/strategy.ts";
import { trackManagers } from "../../verbs/field-managers.ts";
import { parseWriteOptions } from "../../verbs/options.ts";
import { readObject } from "../../verbs/read-object.ts";
import { attributesOf, managerOf } from "../../verbs/write-request.ts";

/** Answers a review; calls `admit` once the object is validated. */
type Reviewer<T> = (
  object: Decoded<T>,
  request: ResourceRequest,
  admit: () => Promise<void>,
) => Promise<object>;

/** The verbs of a resource that is not stored: a create request returns the result in the status. */
export function reviewVerbs<T>(review: Reviewer<T>): ActionStrategy {
  return {
    async create(request) {
      const { exchange, target, services } = request;
      const options = parseWriteOptions(exchange.query, "CreateOptions");
      const object = await readObject(request, options);
      wipeSystemFields(object.metadata);
      const { namespaced } = target.version.handle;
      ensureNamespace(object.metadata, namespaced ? exchange.info.namespace : "");
      trackManagers(target, undefined, object, {
        manager: managerOf(options, exchange),
        subresource: "",
        now: services.clock.now(),
      });
      const name = object.metadata.name ?? "";
      const { dryRun } = options;
      const attributes = attributesOf(request, "CREATE", { object, name, options, dryRun });
      await services.admission.mutate(attributes);
      const admit = async (): Promise<void> => services.admission.validate(attributes);
      const value = await review((attributes.object ?? object) as Decoded<T>, request, admit);
      return { type: "value", status: 201, value };
    },
  };
}
