import { ApplyError, applySteps, unconvertible } from "#/machinery/apply/apply-patch.ts";
import { metadataOf, withManagedFields } from "#/machinery/apply/object-metadata.ts";
import { ConversionError, type ManagedKind } from "#/machinery/apply/versions.ts";
import { jsonTypeName } from "#/machinery/codec/json/json-document.ts";
import { readYamlOrJson } from "#/machinery/codec/object-body.ts";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { applyConflict, badRequest, statusWithoutReason } from "#/machinery/meta/status-error.ts";
import { fromUnstructured } from "#/machinery/patch/from-unstructured.ts";
import { isJsonObject, type JsonObject } from "#/machinery/patch/values/json-value.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { runSteps, type Steps } from "#/std/base/steps.ts";
import { inPace } from "../model/pace.ts";
import { completeObject } from "../registry/complete-object.ts";
import { ensureNamespace } from "../registry/object-lifecycle.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import type { Result } from "../registry/result.ts";
import type { ApiObject, Declaration } from "../registry/strategy.ts";
import { readBody } from "./body/read-body.ts";
import { resetFieldsOf } from "./field-managers.ts";
import { managedKind, withManagedKind } from "./managed-kind.ts";
import { parseWriteOptions, type WriteOptions } from "./options.ts";
import { checkName, replace } from "./update.ts";
import { addWarning } from "./write-request.ts";

/**
 * Server-side apply: PATCH of a configuration.
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go.
 */
export async function applyConfiguration(
  request: ResourceRequest,
  hooks?: Declaration,
): Promise<Result> {
  const { exchange, target } = request;
  const options = parseWriteOptions(exchange.query, "PatchOptions", true);
  const patch = readConfiguration(await readBody(exchange), options, request);
  const { name, namespace } = exchange.info;
  const { declaration } = target.resource;
  return replace(request, {
    hooks,
    options,
    forceCreate: exchange.info.subresource === "",
    next: async (old) => {
      const live = old && (await target.convert(old));
      const { object: merged, isChanged } = await withManagedKind(target, (kind) =>
        inPace(exchange.pace, "apply", stepsOfApply(request, live, patch, options, kind)),
      );
      if (exchange.pace?.isLarge) await exchange.pace.rest("decode");
      const applied = structured(request, merged, patch);
      const object = await completeObject(target, applied, { isChanged });
      ensureNamespace(object.metadata, declaration.handle.namespaced ? namespace : "");
      checkName(object, name);
      return object;
    },
  });
}

/** The configuration of an apply request; throws 400. */
export function readConfiguration(
  body: Uint8Array,
  options: WriteOptions,
  { exchange }: ResourceRequest,
): JsonObject {
  try {
    const { value, duplicates } = readYamlOrJson(body);
    if (duplicates.length > 0 && options.fieldValidation === "Strict") {
      throw badRequest(`error strict decoding patch: ${yamlDuplicates(duplicates)}`);
    }
    if (options.fieldValidation === "Warn") {
      for (const line of duplicates) addWarning(exchange, line);
    }
    if (isJsonObject(value ?? {})) return (value ?? {}) as JsonObject;
    const found = jsonTypeName(value);
    throw new DecodeError(
      `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
    );
  } catch (error) {
    if (error instanceof DecodeError) {
      // YAML is converted to JSON first.
      const isYaml = error.stage === "syntax" && body.find((byte) => byte > 0x20) !== 0x7b;
      const converting = error.stage === "syntax" ? "error converting YAML to JSON: " : "";
      throw badRequest(
        isYaml
          ? `error encoding patch: ${error.message}`
          : `error decoding patch: ${converting}${error.message}`,
      );
    }
    throw error;
  }
}

/** goyaml's error for duplicate keys. */
const yamlDuplicates = (duplicates: readonly string[]): string =>
  `error converting YAML to JSON: yaml: unmarshal errors:\n${duplicates.map((line) => `  ${line}`).join("\n")}`;

/** The live object with a configuration applied; throws 409 for conflicts. */
export function applyTo(
  request: ResourceRequest,
  live: ApiObject | undefined,
  patch: JsonObject,
  options: WriteOptions,
): Applied {
  return runSteps(stepsOfApply(request, live, patch, options, managedKind(request.target)));
}

interface Applied {
  readonly object: JsonObject;
  readonly isChanged: boolean;
}

function* stepsOfApply(
  { exchange, target, services }: ResourceRequest,
  live: ApiObject | undefined,
  patch: JsonObject,
  { fieldManager, force = false }: WriteOptions,
  kind: ManagedKind,
): Steps<Applied> {
  const { subresource } = exchange.info;
  const resetFields = resetFieldsOf(target.resource.declaration, subresource);
  try {
    const result = yield* applySteps({
      kind,
      live: live as unknown as JsonObject | undefined,
      patch,
      manager: fieldManager,
      force,
      subresource,
      ...(resetFields ? { resetFields: () => resetFields } : {}),
      now: formatTime(services.clock.now()),
      isLarge: exchange.pace?.isLarge,
    });
    const { conflict } = result;
    if (conflict) throw applyConflict(conflict.causes, conflict.message);
    return result;
  } catch (error) {
    if (error instanceof ConversionError) throw statusWithoutReason(error.message);
    if (!(error instanceof ApplyError)) throw error;
    throw error.code === 400 ? badRequest(error.message) : statusWithoutReason(error.message);
  }
}

/** The merged configuration as an object of the kind; throws 500 if it is not one. */
export function structured(
  { target }: ResourceRequest,
  merged: JsonObject,
  patch: JsonObject = merged,
): ApiObject {
  try {
    const bare = withManagedFields(merged, undefined);
    const { value } = fromUnstructured<ApiObject>(bare, target.schema, false);
    value.metadata ??= {};
    // They were just encoded, and writers replace them instead of changing them.
    const { managedFields } = metadataOf(merged) as ApiObject["metadata"];
    if (managedFields) value.metadata.managedFields = managedFields;
    return value;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw statusWithoutReason(unconvertible(patch, managedKind(target), error.message));
  }
}
