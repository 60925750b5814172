/** Upstream: staging/src/k8s.io/kubectl/pkg/validation. */
import { parseApiVersion } from "#/machinery/meta/api-version.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, messageOf } from "../base/errors.ts";
import { type GroupVersionKind, isList, type Unstructured } from "../base/unstructured.ts";
import type { Context } from "../command/context.ts";
import { type FieldValidation, warnLog } from "../command/shared-flags.ts";
import { FieldValidationSupport } from "./field-validation.ts";
import { Models } from "./models.ts";
import { validateModel } from "./validate-model.ts";

const hint = "if you choose to ignore these errors, turn validation off with --validate=false";

/**
 * Validates the documents of files before their objects are sent. Servers validate fields themselves; other cases
 * (lists, kinds that can't be patched, old servers) are validated here against the schema that the server publishes.
 */
export class DocumentValidator {
  readonly #context: Context;
  readonly #directive: FieldValidation;
  #support: Promise<FieldValidationSupport> | undefined;
  #models: Promise<Models> | undefined;

  constructor(context: Context, directive: FieldValidation) {
    this.#context = context;
    this.#directive = directive;
  }

  /** Throws the errors of a document. */
  async check(document: unknown, source: string): Promise<void> {
    const problem = await this.problem(document);
    if (problem === undefined) return;
    throw new CommandError(
      `error validating ${goQuote(source)}: error validating data: ${problem}; ${hint}`,
    );
  }

  /** The errors of a document; undefined if there are none. */
  async problem(document: unknown): Promise<string | undefined> {
    if (this.#directive === "Ignore") return undefined;
    const problems = await this.#problems(document).catch((error: unknown) => [messageOf(error)]);
    const [first, ...others] = new Set(problems);
    return others.length === 0 ? first : `[${[first, ...others].join(", ")}]`;
  }

  async #problems(document: unknown): Promise<string[]> {
    const given = kindOfDocument(document);
    if (given.problems.length > 0) return given.problems;
    this.#support ??= this.#openSupport();
    if (await (await this.#support).isSupported(given.kind)) return [];
    if (this.#directive === "Warn") {
      warnLog(
        this.#context,
        "cannot perform warn validation if server-side field validation is unsupported, skipping validation",
      );
      return [];
    }
    const object = document as Unstructured;
    if (given.kind.group !== "" || given.kind.version !== "v1" || given.kind.kind !== "List") {
      return this.#validate(object, given.kind);
    }
    return this.#validateList(object);
  }

  async #validateList(list: Unstructured): Promise<string[]> {
    if (!isList(list)) return ["invalid object to validate"];
    const problems: string[] = [];
    for (const item of list.items) {
      const { kind, problems: own } = kindOfDocument(item);
      problems.push(...(own.length > 0 ? own : await this.#validate(item, kind)));
    }
    return problems;
  }

  async #validate(object: Unstructured, kind: GroupVersionKind): Promise<string[]> {
    this.#models ??= this.#openModels();
    const model = (await this.#models).find(kind);
    return model ? validateModel(object, model, kind.kind) : [];
  }

  async #openSupport(): Promise<FieldValidationSupport> {
    const { cluster } = this.#context;
    const { server = "" } = (await cluster.selected()).cluster;
    return new FieldValidationSupport(await cluster.openApi(), await cluster.client(), server);
  }

  async #openModels(): Promise<Models> {
    return new Models(await (await this.#context.cluster.openApi()).v2());
  }
}

/** The kind of a document, or the errors in its apiVersion and kind. */
function kindOfDocument(document: unknown): {
  readonly kind: GroupVersionKind;
  readonly problems: string[];
} {
  const noKind = { group: "", version: "", kind: "" };
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    return { kind: noKind, problems: ["invalid object to validate"] };
  }
  const { apiVersion, kind } = document as Readonly<Record<string, unknown>>;
  const problems = [...versionProblems(apiVersion), ...textProblems("kind", kind)];
  if (problems.length > 0) return { kind: noKind, problems };
  return { kind: { ...parseApiVersion(String(apiVersion)), kind: String(kind) }, problems };
}

function versionProblems(apiVersion: unknown): string[] {
  if (typeof apiVersion !== "string") return textProblems("apiVersion", apiVersion);
  const isWrong = apiVersion.split("/").length > 2;
  return isWrong ? [`unexpected GroupVersion string: ${apiVersion}`] : [];
}

function textProblems(field: string, value: unknown): string[] {
  if (value === undefined || value === null) return [`${field} not set`];
  return typeof value === "string" ? [] : [`${field} isn't string type`];
}
