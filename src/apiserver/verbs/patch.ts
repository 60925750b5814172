import type { TypeMeta } from "#/machinery/codec/json/json-document.ts";
import { bodyPatchType, type PatchType } from "#/machinery/codec/media-type.ts";
import { notFound, unsupportedMediaType } from "#/machinery/meta/status-error.ts";
import { header } from "../model/exchange.ts";
import { inPace } from "../model/pace.ts";
import { completeObject } from "../registry/complete-object.ts";
import { ensureNamespace } from "../registry/object-lifecycle.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { Result } from "../registry/result.ts";
import type { Declaration } from "../registry/strategy.ts";
import { applyConfiguration } from "./apply.ts";
import { patchSteps } from "./body/patch-document.ts";
import { readBody } from "./body/read-body.ts";
import { convertAndTrack } from "./field-managers.ts";
import { parseWriteOptions } from "./options.ts";
import { checkName, replace, undeterminable } from "./update.ts";
import { addWarning, managerOf } from "./write-request.ts";

/** PATCH of an object or of a view of it. Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go. */
export async function patch(request: ResourceRequest, hooks?: Declaration): Promise<Result> {
  const { exchange, target, services } = request;
  const type = patchTypeOf(request);
  if (type === "application/apply-patch+yaml") return applyConfiguration(request, hooks);
  const options = parseWriteOptions(exchange.query, "PatchOptions");
  const body = await readBody(exchange);
  const manager = managerOf(options, exchange);
  const { name, namespace, subresource } = exchange.info;
  const { declaration } = target.resource;
  return replace(request, {
    hooks,
    options,
    next: async (old) => {
      if (!old) throw notFound(target.version.handle, name);
      const live = await target.convert(old);
      const patchRequest = {
        type,
        body,
        validation: options.fieldValidation,
        schema: target.schema,
        // No plugin changes an object when its status is written.
        sharesUntouched: subresource === "status",
        ...(target.schema.unstructured
          ? {}
          : {
              checkType: (type: TypeMeta, problems: readonly string[]) =>
                checkType(request, type, problems),
            }),
      };
      const steps = patchSteps(live, patchRequest);
      const { object: patched, problems } = await inPace(exchange.pace, "patch", steps);
      for (const problem of problems) addWarning(exchange, problem);
      target.version.coerce?.(patched);
      const object = await completeObject(target, patched, { old });
      ensureNamespace(object.metadata, declaration.handle.namespaced ? namespace : "");
      checkName(object, name);
      if (exchange.pace?.isLarge) await exchange.pace.rest("field managers");
      await convertAndTrack(target, old, object, {
        manager,
        subresource,
        now: services.clock.now(),
        pace: exchange.pace,
      });
      return object;
    },
  });
}

/** A patch can't change an object's identity; without a version its result is unknown. */
function checkType(
  { exchange, target }: ResourceRequest,
  type: TypeMeta,
  problems: readonly string[],
): void {
  for (const problem of problems) addWarning(exchange, problem);
  if (type.apiVersion === "") throw undeterminable(exchange.info.name);
  target.codec.checkType(type);
}

/** The patch's content type, or 415. */
function patchTypeOf({ exchange, target }: ResourceRequest): PatchType {
  const offered = target.resource.declaration.patchTypes;
  const type = bodyPatchType(header(exchange, "content-type"), offered);
  if (!type) throw unsupportedMediaType(offered);
  return type;
}
