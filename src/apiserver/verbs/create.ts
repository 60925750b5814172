import { badRequest } from "#/machinery/meta/status-error.ts";
import { ensureNamespace, wipeSystemFields } from "../registry/object-lifecycle.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { Result } from "../registry/result.ts";
import { trackNewObject } from "./field-managers.ts";
import { parseWriteOptions } from "./options.ts";
import { readNewObject } from "./read-object.ts";
import { attributesOf, contextOf, dedupeOwners, managerOf, newScope } from "./write-request.ts";

/** POST of a new object. Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/create.go. */
export async function create(request: ResourceRequest): Promise<Result> {
  const { exchange, target, services } = request;
  const { declaration, store } = target.resource;
  const options = parseWriteOptions(exchange.query, "CreateOptions");
  const sent = await readNewObject(request, options);
  const { namespaced } = declaration.handle;
  if (namespaced && exchange.info.namespace === "") {
    throw badRequest("an empty namespace may not be set during creation");
  }
  wipeSystemFields(sent.meta);
  ensureNamespace(sent.meta, namespaced ? exchange.info.namespace : "");
  dedupeOwners(sent.meta, exchange, false);

  const context = contextOf(request, options.dryRun);
  const { pace } = exchange;
  if (pace?.isLarge) await pace.rest("field managers");
  await trackNewObject(target, sent, {
    manager: managerOf(options, exchange),
    subresource: "",
    now: context.now,
    pace,
  });
  if (pace?.isLarge) await pace.rest("admission");
  const object = sent.own();
  const name = object.metadata.name ?? "";
  const attributes = attributesOf(request, "CREATE", {
    object,
    name,
    options,
    dryRun: options.dryRun,
  });
  const mutation = services.admission.mutate(attributes);
  if (mutation) await mutation;
  const admitted = attributes.object ?? object;
  dedupeOwners(admitted.metadata, exchange, true);
  const stored = await store.create(
    admitted,
    (final) => {
      const finalName = final?.metadata.name ?? name;
      return services.admission.validate({
        ...attributes,
        object: final,
        name: finalName,
        namespace: newScope(request, finalName),
      });
    },
    context,
    sent.origin,
  );
  return { type: "object", status: 201, object: stored };
}
