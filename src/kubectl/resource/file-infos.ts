/** Upstream: k8s.io/cli-runtime/pkg/resource/visitor.go, k8s.io/kubectl/pkg/validation/schema.go. */
import { goJson } from "#/machinery/go-format.ts";
import { goType } from "#/machinery/patch/go-value.ts";
import { goQuote } from "#/std/go-quote.ts";
import type { Context } from "../context.ts";
import { CommandError } from "../errors.ts";
import type { Unstructured } from "../unstructured.ts";
import type { Sources } from "./file-sources.ts";
import { type InfoOptions, infoOf } from "./object-infos.ts";
import { readDocuments } from "./read-documents.ts";
import type { ResourceInfo } from "./resource-info.ts";

export interface FileInput {
  readonly files: Sources;
  readonly kustomize: string;
  readonly local: boolean;
  readonly validate: boolean;
}

/** The objects of all files, in order. What is wrong with one object is collected, if there is a list for that. */
export async function* infosOfSource(
  context: Context,
  { files, kustomize, local, validate }: FileInput,
  errors: unknown[] | undefined,
): AsyncGenerator<ResourceInfo> {
  const sources = kustomize === "" ? files.sources : [await kustomizeSource(context, kustomize)];
  for (const source of sources) {
    try {
      for (const document of readDocuments(await source.read(), source.name)) {
        if (validate) checkDocument(document, source.name);
        const info = await tryInfo(context, document, { source: source.name, local }, errors);
        if (info) yield info;
      }
    } catch (error) {
      if (!errors) throw error;
      errors.push(error);
    }
  }
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
      `json: cannot unmarshal ${jsonType(document)} into Go value of type struct { Items json.RawMessage "json:\\"items\\"" }`,
    );
  }
  const object = document as Unstructured;
  if (!object.kind) {
    throw undecodable(source, `Object 'Kind' is missing in '${goJson(object)}'`);
  }
  const problem = metadataProblem(object);
  if (problem !== undefined) throw undecodable(source, problem);
  return object;
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

/** What validation says of a document that can't be any object. */
function checkDocument(document: unknown, source: string): void {
  const problems = documentProblems(document);
  if (problems.length === 0) return;
  const text = problems.length === 1 ? problems[0] : `[${problems.join(", ")}]`;
  throw new CommandError(
    `error validating ${goQuote(source)}: error validating data: ${text}; if you choose to ignore these errors, turn validation off with --validate=false`,
  );
}

function documentProblems(document: unknown): string[] {
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    return ["invalid object to validate"];
  }
  const { apiVersion, kind } = document as Unstructured;
  return [
    ...(apiVersion === undefined ? ["apiVersion not set"] : []),
    ...(kind === undefined ? ["kind not set"] : []),
  ];
}
