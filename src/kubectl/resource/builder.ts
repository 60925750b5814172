/** Upstream: staging/src/k8s.io/cli-runtime/pkg/resource/builder.go. */

import type { Selector } from "#/machinery/meta/labels.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, Errors, messageOf, throwAll } from "../base/errors.ts";
import { isList, withListKind } from "../base/unstructured.ts";
import type { Context } from "../command/context.ts";
import type { FieldValidation } from "../command/shared-flags.ts";
import type { Mapping } from "../discovery/discovered-group.ts";
import type { Sources } from "./file-sources.ts";
import { infoOf, requireOneNamespace } from "./object-infos.ts";
import { parseArguments, type ResourceTuple, splitName } from "./resource-arguments.ts";
import { ResourceInfo } from "./resource-info.ts";
import { listPages, type Selection } from "./selector-infos.ts";

export interface BuilderOptions {
  readonly filenames?: readonly string[];
  readonly kustomize?: string;
  readonly recursive?: boolean;
  /** TYPE NAME…, TYPE/NAME…, TYPE[,TYPE…]. */
  readonly args?: readonly string[];
  /** A type without a name means all objects of it. */
  readonly allowEmptySelector?: boolean;
  /** Names of objects of one type, each of which may be TYPE/NAME too. */
  readonly resourceNames?: { readonly type: string; readonly names: readonly string[] };
  /** Types, without names. */
  readonly types?: readonly string[];
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly all?: boolean;
  readonly allNamespaces?: boolean;
  /** The namespace of objects that name none. */
  readonly namespace?: string;
  /** Objects of another namespace are rejected. */
  readonly enforceNamespace?: boolean;
  /** Objects without a namespace get the default namespace; default true. */
  readonly defaultNamespace?: boolean;
  readonly subresource?: string;
  readonly chunkSize?: number;
  /** Lists are expanded into their items. */
  readonly flatten?: boolean;
  /** Objects in files are read from the server. */
  readonly latest?: boolean;
  /** Objects given by name are read from the server; default true. */
  readonly requireObject?: boolean;
  readonly continueOnError?: boolean;
  readonly singleResourceType?: boolean;
  /** No requests are sent: objects come from files only. */
  readonly local?: boolean;
  /** Objects in files are checked before they are sent; default "Ignore". */
  readonly validate?: FieldValidation;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

const nothingGiven = `You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'`;

export type Visit = (info: ResourceInfo) => MaybePromise<void>;

/** The sources of the objects of a command line. */
interface Plan {
  readonly singleItemImplied: boolean;
  readonly targetsSingleItems: boolean;
  /** Visits the objects; errors are thrown, or collected with continueOnError. */
  readonly walk: (visit: Visit, errors: unknown[] | undefined) => Promise<void>;
  /** The types to watch, with their selectors; undefined if objects are in files. */
  readonly selections?: readonly Selection[];
  readonly named?: readonly ResourceInfo[];
}

/** Finds the objects of a command line, in files, by name or by selector. */
export class ResourceBuilder {
  readonly #context: Context;
  readonly #options: BuilderOptions;
  #plan: Promise<Plan> | undefined;

  constructor(context: Context, options: BuilderOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Throws for errors that are known before any object is read. */
  async check(): Promise<this> {
    await this.#planned();
    return this;
  }

  /** Calls back for each object, in order. With continueOnError all failures are thrown together at the end. */
  async visit(visit: Visit): Promise<void> {
    const plan = await this.#planned();
    const { continueOnError, enforceNamespace, namespace = "" } = this.#options;
    const { requireObject = true } = this.#options;
    const decorated: Visit = async (info) => {
      this.#place(info, namespace);
      if (enforceNamespace) requireOneNamespace(info, namespace);
      if (requireObject && info.object === undefined) await this.#fetch(info);
      await visit(info);
    };
    if (!continueOnError) return plan.walk(this.#flattened(decorated), undefined);
    const errors: unknown[] = [];
    const sourceErrors: unknown[] = [];
    const guarded: Visit = (info) => collecting(errors, () => decorated(info));
    await plan.walk(this.#flattened(guarded), sourceErrors);
    // Failures of lookups and reads are an aggregate, even if there is only one.
    throwAll([...errors, ...(sourceErrors.length > 0 ? [new Errors(sourceErrors)] : [])]);
  }

  /** All objects; with continueOnError those that were found, and the failures. */
  async infos(): Promise<ResourceInfo[]> {
    const infos: ResourceInfo[] = [];
    await this.visit((info) => void infos.push(info));
    return infos;
  }

  /** All objects that were found, and the failure of the others. */
  async tryInfos(): Promise<{ infos: ResourceInfo[]; error: unknown }> {
    const infos: ResourceInfo[] = [];
    const error = await this.tryVisit((info) => void infos.push(info));
    return { infos, error };
  }

  /** Calls back for each object that was found; returns the failure of the others. */
  async tryVisit(visit: Visit): Promise<unknown> {
    await this.#planned();
    try {
      await this.visit(visit);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** True if the command line names one object, so that it is printed without a list. */
  async singleItemImplied(): Promise<boolean> {
    return (await this.#planned()).singleItemImplied;
  }

  async targetsSingleItems(): Promise<boolean> {
    return (await this.#planned()).targetsSingleItems;
  }

  /** The selection of a watch; undefined if objects come from files. */
  async selections(): Promise<readonly Selection[] | undefined> {
    const { selections, named } = await this.#planned();
    return (
      selections ??
      named?.map(({ mapping, namespace, name }) => nameSelection(mapping, namespace, name))
    );
  }

  #planned(): Promise<Plan> {
    this.#plan ??= this.#makePlan();
    return this.#plan;
  }

  /** Reads an object; one whose resource has namespaces must be in one. */
  async #fetchPlaced(info: ResourceInfo): Promise<void> {
    if (info.namespaced && info.namespace === "") {
      const { group, version, name } = info.mapping;
      const resource = `${group}/${version}, Resource=${name}`;
      throw new CommandError(`no namespace set on resource ${resource} ${goQuote(info.name)}`);
    }
    await this.#fetch(info);
  }

  #place(info: ResourceInfo, namespace: string): void {
    const { defaultNamespace = true, enforceNamespace } = this.#options;
    if (info.isMapped && !info.mapping.namespaced) {
      info.namespace = "";
      if (info.object?.metadata?.namespace !== undefined) delete info.object.metadata.namespace;
      return;
    }
    if (!info.namespaced && info.isMapped) return;
    const isLocal = !info.isMapped;
    if (info.namespace === "" && !isLocal && (defaultNamespace || enforceNamespace)) {
      info.namespace = namespace;
      if (info.object && !isList(info.object) && namespace !== "") {
        info.object.metadata = { ...info.object.metadata, namespace };
      }
    }
  }

  async #fetch(info: ResourceInfo): Promise<void> {
    await info.get(this.#options.headers, this.#options.query);
  }

  /** Expands lists if requested. */
  #flattened(visit: Visit): Visit {
    if (!this.#options.flatten) return visit;
    return async (info) => {
      const { object } = info;
      if (!isList(object) || isTableLike(object)) return visit(info);
      const errors: unknown[] = [];
      for (const item of object.items) {
        try {
          const { local = false } = this.#options;
          await visit(
            await infoOf(this.#context, withListKind(item, object), {
              source: info.source,
              local,
              inList: true,
            }),
          );
        } catch (error) {
          errors.push(error);
        }
      }
      throwAll(errors);
    };
  }

  async #makePlan(): Promise<Plan> {
    const { args = [], resourceNames, types = [], local } = this.#options;
    const files = await this.#files();
    const errors: unknown[] = [...files.errors, ...this.#flagErrors()];
    if (local && args.length > 0 && files.sources.length === 0)
      throw new CommandError(localNeedsFiles);
    const parsed = await this.#parse(args, errors);
    for (const name of resourceNames?.names ?? []) {
      const tuple =
        name.includes("/") || resourceNames?.type === ""
          ? splitName(name)
          : { type: resourceNames?.type ?? "", name };
      parsed.tuples.push(tuple);
    }
    parsed.types.push(...types);
    throwAll(errors);
    const selector = this.#selector(parsed.isTypeOnly);
    if (files.sources.length > 0 || this.#options.kustomize) return this.#byPaths(files, parsed);
    if (selector) return this.#bySelector(parsed, selector);
    if (parsed.tuples.length > 0) return this.#byTuples(parsed);
    if (parsed.names.length > 0) return this.#byNames(parsed);
    if (parsed.types.length > 0) {
      for (const type of parsed.types) await this.#mapping(type);
      throw new CommandError("resource(s) were provided, but no name was specified");
    }
    throw new CommandError(local ? localNeedsFiles : nothingGiven);
  }

  async #parse(args: readonly string[], errors: unknown[]): Promise<ParsedTypes> {
    try {
      return await parseArguments(args, async (type) => {
        const mapper = await this.#context.cluster.mapper();
        return mapper.expandCategory(type);
      });
    } catch (error) {
      errors.push(error);
      return { types: [], names: [], tuples: [], isTypeOnly: false };
    }
  }

  async #files(): Promise<Sources> {
    const { filenames = [], kustomize = "", recursive = false } = this.#options;
    if (filenames.length > 0 && kustomize !== "") {
      return { ...noSources, errors: [new CommandError("only one of -f or -k can be specified")] };
    }
    if (kustomize !== "" && recursive) {
      return {
        ...noSources,
        errors: [new CommandError("the -k flag can't be used with -f or -R")],
      };
    }
    if (filenames.length === 0) return noSources;
    const { fileSources } = await import("./file-sources.ts");
    if (filenames.includes("-")) this.#context.cluster.takeStdin();
    return fileSources(filenames, this.#context, { recursive });
  }

  #flagErrors(): CommandError[] {
    const { all, selector = "", fieldSelector = "" } = this.#options;
    if (!all || (selector.trim() === "" && fieldSelector.trim() === "")) return [];
    return [new CommandError("setting 'all' parameter but found a non empty selector. ")];
  }

  #selector(isTypeOnly: boolean): { labels: string; fields: string } | undefined {
    const { all, selector = "", fieldSelector = "", allowEmptySelector } = this.#options;
    const labels = selector.trim();
    const fields = fieldSelector.trim();
    const isEverything = all || (isTypeOnly && allowEmptySelector);
    return isEverything || labels !== "" || fields !== "" ? { labels, fields } : undefined;
  }

  async #mapping(type: string): Promise<Mapping> {
    return (await this.#context.cluster.mapper()).mappingFor(type);
  }

  async #mappings(types: readonly string[]): Promise<Mapping[]> {
    if (types.length > 1 && this.#options.singleResourceType) throw severalTypes();
    const found = new Map<string, Mapping>();
    for (const type of types) {
      const mapping = await this.#mapping(type);
      found.set(`${mapping.group}/${mapping.version}/${mapping.kind}`, mapping);
    }
    return [...found.values()];
  }

  async #byPaths(files: Sources, { types, names, tuples }: ParsedTypes): Promise<Plan> {
    if (types.length > 0) {
      throw new CommandError(
        "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
      );
    }
    if (names.length > 0)
      throw new CommandError("name cannot be provided when a path is specified");
    if (tuples.length > 0) {
      throw new CommandError("resource/name arguments cannot be provided when a path is specified");
    }
    const {
      selector = "",
      kustomize = "",
      local = false,
      latest,
      validate = "Ignore",
      namespace = "",
    } = this.#options;
    const labels = selector.trim();
    const wanted = labels === "" ? undefined : await parseOwnSelector(labels);
    const { infosOfSource } = await import("./file-infos.ts");
    const filtered =
      (visit: Visit): Visit =>
      async (info) => {
        const all = this.#flattened(async (each) => {
          if (latest) {
            this.#place(each, namespace);
            if (each.name !== "" && each.isMapped) await this.#fetchPlaced(each);
          }
          if (wanted && !wanted.matches(each.object?.metadata?.labels ?? {})) return;
          await visit(each);
        });
        await all(info);
      };
    return {
      singleItemImplied: files.isSingle && kustomize === "",
      targetsSingleItems: true,
      walk: async (visit, errors) => {
        for await (const info of infosOfSource(
          this.#context,
          { files, kustomize, local, validate },
          errors,
        )) {
          await collecting(errors, () => filtered(visit)(info));
        }
      },
    };
  }

  async #bySelector(
    parsed: ParsedTypes,
    selector: { labels: string; fields: string },
  ): Promise<Plan> {
    const { types, names, tuples } = parsed;
    if (names.length > 0)
      throw new CommandError("name cannot be provided when a selector is specified");
    if (tuples.length > 0) {
      throw new CommandError(
        "selectors and the all flag cannot be used when passing resource/name arguments",
      );
    }
    if (types.length === 0) {
      throw new CommandError("at least one resource must be specified to use a selector");
    }
    const { subresource = "", namespace = "", allNamespaces } = this.#options;
    if (subresource !== "") {
      throw new CommandError("subresource cannot be used when bulk resources are specified");
    }
    const selections = (await this.#mappings(types)).map((mapping) => ({
      mapping,
      namespace: mapping.namespaced && !allNamespaces ? namespace : "",
      ...selector,
    }));
    const { chunkSize = 0, headers = {}, query = {} } = this.#options;
    return {
      singleItemImplied: false,
      targetsSingleItems: false,
      selections,
      walk: async (visit, errors) => {
        for (const selection of selections) {
          await collecting(errors, async () => {
            const pages = listPages(this.#context, selection, { chunkSize, headers, query });
            for await (const page of pages) await collecting(errors, () => visit(page));
          });
        }
      },
    };
  }

  async #byTuples({ types, tuples }: ParsedTypes): Promise<Plan> {
    if (types.length > 0) {
      throw new CommandError(
        "you may not specify individual resources and bulk resources in the same call",
      );
    }
    const mappings = new Map<string, Mapping>();
    for (const { type } of tuples)
      if (!mappings.has(type)) mappings.set(type, await this.#mapping(type));
    const different = new Set(
      [...mappings.values()].map(({ group, version, name }) => `${group}/${version}/${name}`),
    );
    if (different.size > 1 && this.#options.singleResourceType) throw severalTypes();
    const infos = tuples.map(({ type, name }) => this.#named(mappings.get(type) as Mapping, name));
    return this.#namedPlan(infos);
  }

  async #byNames({ types, names }: ParsedTypes): Promise<Plan> {
    if (types.length === 0) {
      throw new CommandError("you must provide a resource and a resource name together");
    }
    if (types.length > 1) throw new CommandError("you must specify only one resource");
    const mapping = await this.#mapping(types[0] ?? "");
    return this.#namedPlan(names.map((name) => this.#named(mapping, name)));
  }

  #namedPlan(named: readonly ResourceInfo[]): Plan {
    return {
      singleItemImplied: named.length === 1,
      targetsSingleItems: true,
      named,
      walk: async (visit, errors) => {
        for (const info of named) await collecting(errors, () => visit(info));
      },
    };
  }

  #named(mapping: Mapping, name: string): ResourceInfo {
    const { namespace = "", allNamespaces, subresource = "" } = this.#options;
    if (mapping.namespaced && (allNamespaces || namespace === "")) {
      throw new CommandError(
        allNamespaces
          ? "a resource cannot be retrieved by name across all namespaces"
          : "namespace may not be empty when retrieving a resource by name",
      );
    }
    const place = mapping.namespaced ? namespace : "";
    return new ResourceInfo(this.#context.cluster, mapping, {
      namespace: place,
      name,
      subresource,
    });
  }
}

interface ParsedTypes {
  readonly types: string[];
  readonly names: readonly string[];
  readonly tuples: ResourceTuple[];
  readonly isTypeOnly: boolean;
}

const noSources: Sources = { sources: [], errors: [], isSingle: false, usesStdin: false };

const localNeedsFiles = `error: you must specify resources by --filename when --local is set.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'`;

const severalTypes = (): CommandError =>
  new CommandError("you may only specify a single resource type");

/** Calls a function, and adds its failure to the list if there is one. */
async function collecting(
  errors: unknown[] | undefined,
  run: () => MaybePromise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!errors) throw error;
    errors.push(error);
  }
}

function nameSelection(mapping: Mapping, namespace: string, name: string): Selection {
  return { mapping, namespace, labels: "", fields: `metadata.name=${name}` };
}

async function parseOwnSelector(text: string): Promise<Selector> {
  const { parseSelector } = await import("#/machinery/meta/label-parser.ts");
  try {
    return parseSelector(text);
  } catch (error) {
    throw new CommandError(
      `the provided selector ${goQuote(text)} is not valid: ${messageOf(error)}`,
    );
  }
}

/** A Table has rows instead of items; it is not expanded. */
function isTableLike(object: { kind?: string }): boolean {
  return object.kind === "Table";
}
