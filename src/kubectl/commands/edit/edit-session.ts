/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/util/editor/editoptions.go. */

import { existsSync, rmSync } from "node:fs";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { readYaml } from "#/machinery/codec/yaml/yaml-reader.ts";
import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import { isNotFound, isStatusError } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { createMergePatch } from "#/machinery/patch/create-merge-patch.ts";
import { createStrategicMergePatch } from "#/machinery/patch/create-strategic-merge-patch.ts";
import {
  PreconditionFailed,
  requireKeyUnchanged,
  requireMetadataKeyUnchanged,
} from "#/machinery/patch/preconditions.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { goJson } from "#/machinery/values/go-format.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, ExitError, messageOf } from "../../base/errors.ts";
import { isList, type Unstructured, withoutVersion } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import { annotationPatch, updateLastApplied } from "../../command/last-applied.ts";
import { recordChange } from "../../command/record-change.ts";
import type { FieldValidation } from "../../command/shared-flags.ts";
import { DocumentValidator } from "../../openapi/document-validator.ts";
import { sortedKeys } from "../../printers/json-printer.ts";
import type { PrintValues } from "../../printers/print-flags.ts";
import { toPrinter } from "../../printers/to-printer.ts";
import { infoOf, requireOneNamespace } from "../../resource/object-infos.ts";
import { readDocuments } from "../../resource/read-documents.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import { editText } from "./open-editor.ts";

interface EditOptions {
  readonly mode: "normal" | "create" | "last-applied";
  readonly flags: PrintValues & {
    readonly record: boolean;
    readonly "field-manager": string;
    readonly "windows-line-endings": boolean;
    readonly "save-config"?: boolean;
    readonly "output-patch"?: boolean;
    readonly subresource?: string;
  };
  readonly fieldValidation: FieldValidation;
  readonly namespace: string;
}

const normalHeader = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`;
const lastAppliedHeader = `# Please edit the 'last-applied-configuration' annotations below.
# Lines beginning with a '#' will be ignored, and an empty file will abort the edit.
#
`;

interface Reason {
  readonly head: string;
  readonly others: readonly string[];
}

/** The result of the last round. */
interface Results {
  readonly file: string;
  readonly reasons: Reason[];
  retryable: number;
  missing: number;
  /** Objects that are to be edited again. */
  invalid: number;
}

/** Opens the editor repeatedly until the saved text is accepted, or nothing was changed. */
export class EditSession {
  readonly #context: Context;
  readonly #options: EditOptions;
  readonly #validator: DocumentValidator;

  constructor(context: Context, options: EditOptions) {
    this.#context = context;
    this.#options = options;
    this.#validator = new DocumentValidator(context, options.fieldValidation);
  }

  async edit(infos: readonly ResourceInfo[]): Promise<void> {
    const objects = infos.map(({ object }) => withoutManagedFields(object ?? {}));
    const [only] = objects;
    const original =
      objects.length === 1 && only
        ? only
        : { apiVersion: "v1", kind: "List", metadata: {}, items: objects };
    const originalText = this.#format(original);
    let results: Results | undefined;
    let edited = "";
    for (;;) {
      const failed = results !== undefined && results.reasons.length > 0;
      const body = failed ? stripped(edited) : originalText;
      const before = edited;
      const saved = await this.#open(this.#header(results?.reasons ?? []) + body, results);
      edited = saved.text;
      if (failed && sameContent(before, edited)) {
        throw this.#preserved(
          new CommandError("Edit cancelled, no valid changes were saved."),
          saved.file,
        );
      }
      if (results) rmSync(results.file, { force: true });
      const problem = await this.#problem(edited);
      if (problem !== undefined) {
        const { mapping, name } = infos[0] as ResourceInfo;
        const { group } = mapping;
        const shown = `${mapping.name}${group === "" ? "" : `.${group}`} ${goQuote(name)}`;
        this.#context.err.write(`error: ${shown} is invalid\n`);
        const other = `<nil>: Invalid value: "The edited file failed validation": ${problem}`;
        const reason = { head: `${shown} was not valid`, others: [other] };
        results = { file: saved.file, reasons: [reason], retryable: 0, missing: 0, invalid: 1 };
        continue;
      }
      if (sameContent(originalText, edited)) return this.#cancel(saved.file, "no changes made.");
      if (!hasLines(edited)) return this.#cancel(saved.file, "saved file was empty.");
      results = { file: saved.file, reasons: [], retryable: 0, missing: 0, invalid: 0 };
      const updated = await this.#read(edited, results);
      if (!updated) continue;
      await this.#guarded(saved.file, () =>
        this.#send(infos, objects, updated, results as Results),
      );
      if (this.#isDone(results)) return;
    }
  }

  async #open(text: string, results: Results | undefined): Promise<{ text: string; file: string }> {
    const isJson = this.#options.flags.output === "json";
    const lines = this.#options.flags["windows-line-endings"]
      ? text.replaceAll("\n", "\r\n")
      : text;
    try {
      return await editText(this.#context, lines, isJson ? ".json" : ".yaml");
    } catch (error) {
      throw this.#preserved(error, results?.file ?? "");
    }
  }

  #format(object: Unstructured): string {
    const value = sortedKeys(object);
    return this.#options.flags.output === "json" ? `${goJson(value, "    ")}\n` : writeYaml(value);
  }

  #header(reasons: readonly Reason[]): string {
    if (this.#options.flags.output === "json") return "";
    const lines = reasons.map(({ head, others }) => {
      const list = others.map((other) => `# * ${commented(other)}\n`).join("");
      return `# ${commented(head)}${others.length > 0 ? ":" : ""}\n${list}#\n`;
    });
    const intro = this.#options.mode === "last-applied" ? lastAppliedHeader : normalHeader;
    return intro + lines.join("");
  }

  /** The errors of the saved text; undefined if there are none. */
  async #problem(text: string): Promise<string | undefined> {
    if (this.#options.fieldValidation === "Ignore") return undefined;
    try {
      return await this.#validator.problem(readYaml(Buffer.from(text)).value);
    } catch (error) {
      if (error instanceof DecodeError) return error.message;
      throw error;
    }
  }

  #cancel(file: string, why: string): void {
    rmSync(file, { force: true });
    this.#context.err.write(`Edit cancelled, ${why}\n`);
  }

  /** The objects of the edited text; undefined if it is invalid. */
  async #read(text: string, results: Results): Promise<ResourceInfo[] | undefined> {
    try {
      const documents = [...readDocuments(Buffer.from(text), "edited-file")] as Unstructured[];
      const objects = documents.flatMap((each) => (isList(each) ? each.items : [each]));
      return await Promise.all(
        objects.map((object) =>
          infoOf(this.#context, object, { source: "edited-file", local: false }),
        ),
      );
    } catch (error) {
      results.reasons.push({
        head: `The edited file had a syntax error: ${messageOf(error)}`,
        others: [],
      });
      return undefined;
    }
  }

  async #send(
    infos: readonly ResourceInfo[],
    originals: readonly Unstructured[],
    updated: readonly ResourceInfo[],
    results: Results,
  ): Promise<void> {
    const { mode, namespace, flags } = this.#options;
    for (const info of updated) {
      if (info.namespaced) {
        if (info.namespace === "") info.namespace = namespace;
        requireOneNamespace(info, namespace);
      }
      if (flags["save-config"])
        info.object = updateLastApplied(info.object ?? {}, { create: true });
      if (info.object) info.object = recordChange(info.object, flags, this.#context);
      if (mode === "create") {
        await this.#create(info);
        continue;
      }
      const index = infos.findIndex(
        ({ object }) => object?.metadata?.uid === info.object?.metadata?.uid,
      );
      const original = originals[index];
      if (original === undefined) throw new CommandError("no original object found");
      if (mode === "last-applied") await this.#annotate(info, original);
      else await this.#patch(info, original, results);
    }
  }

  async #create(info: ResourceInfo): Promise<void> {
    const client = await this.#context.cluster.client();
    const { flags, fieldValidation } = this.#options;
    const created = await client.create(info.mapping, withoutVersion(info.object ?? {}), {
      namespace: info.namespace,
      fieldManager: flags["field-manager"],
      fieldValidation,
    });
    this.#print("created", created);
  }

  async #annotate(info: ResourceInfo, original: Unstructured): Promise<void> {
    if (deepEqual(original, info.object)) return this.#print("skipped", info.object ?? {});
    const client = await this.#context.cluster.client();
    const { patch } = annotationPatch(info.object ?? {});
    await client.patch(info.mapping, info.ref(), patch, {
      type: "merge",
      fieldManager: this.#options.flags["field-manager"],
      fieldValidation: this.#options.fieldValidation,
    });
    this.#print("edited", info.object ?? {});
  }

  async #patch(info: ResourceInfo, original: Unstructured, results: Results): Promise<void> {
    const edited = info.object ?? {};
    if (deepEqual(original, edited)) return this.#print("skipped", edited);
    const { patch, type } = patchOf(info, original, edited);
    const { flags, fieldValidation } = this.#options;
    if (flags["output-patch"]) this.#context.out.write(`Patch: ${goJson(sortedKeys(patch))}\n`);
    const client = await this.#context.cluster.client();
    try {
      const patched = await client.patch(info.mapping, info.ref(), patch, {
        type,
        fieldManager: flags["field-manager"],
        fieldValidation,
        subresource: flags.subresource || undefined,
      });
      this.#print("edited", patched);
    } catch (error) {
      this.#context.err.write(`${noteFailure(results, info, error)}\n`);
    }
  }

  #print(operation: string, object: Unstructured): void {
    toPrinter(this.#options.flags, this.#context, { operation }).print(object, this.#context.out);
  }

  /** True if nothing is left to edit; throws if the reason is failures. */
  #isDone({ file, retryable, missing, invalid }: Results): boolean {
    if (retryable > 0) {
      this.#context.err.write(
        `You can run \`kubectl replace -f ${file}\` to try this update again.\n`,
      );
      throw new ExitError(1);
    }
    if (missing > 0) {
      this.#context.err.write(
        `The edits you made on deleted resources have been saved to ${goQuote(file)}\n`,
      );
      throw new ExitError(1);
    }
    if (invalid > 0) return false;
    rmSync(file, { force: true });
    return true;
  }

  async #guarded(file: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      throw this.#preserved(error, file);
    }
  }

  /** Prints the path of the file with the edited text. */
  #preserved(error: unknown, file: string): unknown {
    if (file !== "" && existsSync(file)) {
      this.#context.err.write(`A copy of your changes has been stored to ${goQuote(file)}\n`);
    }
    return error;
  }
}

function patchOf(
  { mapping }: ResourceInfo,
  original: Unstructured,
  modified: Unstructured,
): { patch: object; type: "strategic" | "merge" } {
  const preconditions = [
    requireKeyUnchanged("apiVersion"),
    requireKeyUnchanged("kind"),
    requireMetadataKeyUnchanged("name"),
    requireKeyUnchanged("managedFields"),
  ];
  const changed = "At least one of apiVersion, kind and name was changed";
  const schema = findSchema(mapping.group, mapping.version, mapping.kind);
  if (!schema) {
    const patch = createMergePatch(original, modified);
    if (!preconditions.every((holds) => holds(patch))) throw new CommandError(changed);
    return { patch, type: "merge" };
  }
  try {
    const documents = { original, modified };
    return {
      patch: createStrategicMergePatch(schema, documents, preconditions),
      type: "strategic",
    };
  } catch (error) {
    if (error instanceof PreconditionFailed) throw new CommandError(changed, { cause: error });
    throw error;
  }
}

function noteFailure(results: Results, { mapping, name }: ResourceInfo, error: unknown): string {
  const { group } = mapping;
  const resource = `${mapping.name}${group === "" ? "" : `.${group}`} ${goQuote(name)}`;
  if (isStatusError(error, "Invalid")) {
    results.invalid++;
    const causes = error.status.details?.causes ?? [];
    const others = causes.map(({ field = "", message = "" }) => `${field}: ${message}`);
    results.reasons.push({ head: `${resource} was not valid`, others });
    return `error: ${resource} is invalid`;
  }
  if (isNotFound(error)) {
    results.missing++;
    return `error: ${resource} could not be found on the server`;
  }
  results.retryable++;
  return `error: ${resource} could not be patched: ${messageOf(error)}`;
}

function withoutManagedFields(object: Unstructured): Unstructured {
  if (object.metadata?.managedFields === undefined) return object;
  const { managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function stripped(text: string): string {
  return text
    .split("\n")
    .filter((line) => !/^\s*#(?!!)/.test(line))
    .join("\n");
}

function sameContent(a: string, b: string): boolean {
  try {
    return deepEqual(readYaml(Buffer.from(a)).value, readYaml(Buffer.from(b)).value);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return stripped(a) === stripped(b);
  }
}

function hasLines(text: string): boolean {
  return text.split("\n").some((line) => line.trim() !== "" && !line.trim().startsWith("#"));
}

const commented = (text: string): string => text.replaceAll(/\n(?=[^#])/g, "\n# ");
