/**
 * Upstream: staging/src/k8s.io/cli-runtime/pkg/resource/visitor.go,
 * staging/src/k8s.io/kubectl/pkg/validation/schema.go.
 */

import { goType } from "#/machinery/patch/values/go-value.ts";
import { goJson } from "#/machinery/values/go-format.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../base/errors.ts";
import type { Unstructured } from "../base/unstructured.ts";
import type { Context } from "../command/context.ts";
import type { FieldValidation } from "../command/shared-flags.ts";
import type { DocumentValidator } from "../openapi/document-validator.ts";
import { sortedKeys } from "../printers/json-printer.ts";
import type { Sources } from "./file-sources.ts";
import { type InfoOptions, infoOf } from "./object-infos.ts";
import { readDocuments } from "./read-documents.ts";
import type { ResourceInfo } from "./resource-info.ts";

interface FileInput {
  readonly files: Sources;
  readonly kustomize: string;
  readonly local: boolean;
  readonly validate: FieldValidation;
}

/** The objects of all files, in order. Failures of single objects are collected if there is a list for them. */
export async function* infosOfSource(
  context: Context,
  { files, kustomize, local, validate }: FileInput,
  errors: unknown[] | undefined,
): AsyncGenerator<ResourceInfo> {
  const validator = validate === "Ignore" ? undefined : await openValidator(context, validate);
  const sources = kustomize === "" ? files.sources : [await kustomizeSource(context, kustomize)];
  for (const source of sources) {
    try {
      for (const document of readDocuments(await source.read(), source.name)) {
        await validator?.check(document, source.name);
        const info = await tryInfo(context, document, { source: source.name, local }, errors);
        if (info) yield info;
      }
    } catch (error) {
      if (!errors) throw error;
      errors.push(error);
    }
  }
}

/** Loaded only when needed. */
async function openValidator(
  context: Context,
  directive: FieldValidation,
): Promise<DocumentValidator> {
  const module = await import("../openapi/document-validator.ts");
  return new module.DocumentValidator(context, directive);
}

async function kustomizeSource(
  context: Context,
  folder: string,
): Promise<{ name: string; read(): Promise<Buffer> }> {
  const { buildKustomization } = await import("../kustomize/build-kustomization.ts");
  return { name: folder, read: async () => Buffer.from(await buildKustomization(context, folder)) };
}

async function tryInfo(
  context: Context,
  document: unknown,
  options: InfoOptions,
  errors: unknown[] | undefined,
): Promise<ResourceInfo | undefined> {
  try {
    return await infoOf(context, checkedObject(document, options.source), options);
  } catch (error) {
    if (!errors) throw error;
    errors.push(error);
    return undefined;
  }
}

function checkedObject(document: unknown, source: string): Unstructured {
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    throw undecodable(
      source,
      `json: cannot unmarshal ${jsonType(document)} into Go value of type unstructured.detector`,
    );
  }
  const object = document as Unstructured;
  if (!hasKind(object)) {
    throw undecodable(source, `Object 'Kind' is missing in '${goJson(sortedKeys(object))}'`);
  }
  const problem = metadataProblem(object);
  if (problem !== undefined) throw undecodable(source, problem);
  return object;
}

/** True if apiVersion and kind of an object are valid. */
function hasKind({ apiVersion = "", kind }: Readonly<Record<string, unknown>>): boolean {
  const isVersion = typeof apiVersion === "string" && apiVersion.split("/").length <= 2;
  return isVersion && typeof kind === "string" && kind !== "";
}

function metadataProblem({ metadata }: Unstructured): string | undefined {
  if (metadata === undefined || metadata === null) return undefined;
  for (const field of ["labels", "annotations"] as const) {
    const map = (metadata[field] ?? {}) as Record<string, unknown>;
    const wrong = Object.entries(map).find(
      ([, value]) => typeof value !== "string" && value !== null,
    );
    if (wrong) {
      return `json: cannot unmarshal ${jsonType(wrong[1])} into Go struct field ObjectMeta.metadata.${field} of type string`;
    }
  }
  return undefined;
}

function undecodable(source: string, reason: string): CommandError {
  return new CommandError(`unable to decode ${goQuote(source)}: ${reason}`);
}

function jsonType(value: unknown): string {
  const type = goType(value);
  if (type === "int64" || type === "float64") return "number";
  if (type === "map[string]interface {}") return "object";
  return type === "[]interface {}" ? "array" : type;
}
