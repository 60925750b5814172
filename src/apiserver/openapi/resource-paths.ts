import type { Resource, Subresource } from "#/api/base/resource.ts";
import type { Schema } from "#/api/base/schema.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import type { VersionedResource } from "../registry/served-resource.ts";
import type { Json } from "./open-api.ts";
import type { Operation, Parameter } from "./operation.ts";
import { operationText } from "./operation-texts.ts";
import type { Definitions } from "./publish-schema.ts";

/**
 * The paths of a resource in one version, with their operations.
 * Upstream: staging/src/k8s.io/apiserver/pkg/endpoints/installer.go,
 * staging/src/k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go.
 */
export function resourcePaths(
  target: VersionedResource,
  definitions: Definitions,
  names: { readonly object: string; readonly list: string },
): [path: string, operations: Operation[]][] {
  const writer = new ResourcePaths(target, definitions, names);
  return writer.paths();
}

const query = (type: Parameter["type"], ...names: readonly string[]): Parameter[] =>
  names.map((name) => ({ name, type }));
const inPath = (name: string): Parameter => ({ name, type: "string", isPath: true });
const pretty = query("string", "pretty");
const watchOptions = query("boolean", "allowWatchBookmarks", "watch");
const listOptions = [
  ...query("string", "continue", "fieldSelector", "labelSelector", "resourceVersion"),
  ...query("string", "resourceVersionMatch", "shardSelector"),
  ...query("boolean", "sendInitialEvents"),
  ...query("integer", "limit", "timeoutSeconds"),
];
const writeOptions = query("string", "dryRun", "fieldManager", "fieldValidation");
const patchOptions = [...writeOptions, ...query("boolean", "force")];
const deleteOptions = [
  ...query("string", "dryRun", "propagationPolicy"),
  ...query("boolean", "ignoreStoreReadErrorWithClusterBreakingPotential", "orphanDependents"),
  ...query("integer", "gracePeriodSeconds"),
];

const metaPackage = "io.k8s.apimachinery.pkg.apis.meta.v1";
const builtInTypes = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
];
const customTypes = ["application/json", "application/yaml"];
const streamTypes = [
  "application/json;stream=watch",
  "application/vnd.kubernetes.protobuf;stream=watch",
];
const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/apply-patch+yaml",
];
const connectMethods = ["get", "put", "post", "delete", "options", "head", "patch"];

class ResourcePaths {
  readonly #target: VersionedResource;
  readonly #handle: Resource;
  readonly #definitions: Definitions;
  readonly #names: { readonly object: string; readonly list: string };
  /** A reference to a definition. */
  readonly #isDefined: boolean;
  readonly #types: readonly string[];
  readonly #scope: readonly Parameter[];

  constructor(
    target: VersionedResource,
    definitions: Definitions,
    names: { readonly object: string; readonly list: string },
  ) {
    this.#target = target;
    this.#handle = target.version.handle;
    this.#definitions = definitions;
    this.#names = names;
    this.#isDefined = target.version.openApi !== undefined;
    this.#types = this.#isDefined ? customTypes : builtInTypes;
    this.#scope = this.#handle.namespaced ? [inPath("namespace")] : [];
  }

  paths(): [path: string, operations: Operation[]][] {
    const { group, version, name, namespaced, subresources } = this.#handle;
    const root = `${group === "" ? "/api" : `/apis/${group}`}/${version}`;
    const scope = namespaced ? "/namespaces/{namespace}" : "";
    const object = `${root}${scope}/${name}/{name}`;
    const paths: [string, Operation[]][] = [
      [`${root}${scope}/${name}`, this.#collection()],
      [object, this.#object()],
      ...subresources.flatMap((one) => this.#subresource(object, one)),
      ...(this.#isDefined ? [] : this.#watches(root, scope)),
    ];
    if (namespaced && this.#can("list")) {
      paths.push([`${root}/${name}`, [this.#list("list", "ForAllNamespaces")]]);
    }
    return paths.filter(([, operations]) => operations.length > 0);
  }

  #can(verb: string): boolean {
    return this.#handle.verbs.includes(verb);
  }

  #collection(): Operation[] {
    const own = this.#definitions.ref(this.#names.object);
    return [
      ...(this.#can("list") ? [this.#list("list", "")] : []),
      ...(this.#can("create")
        ? [this.#write("post", "create", own, { codes: [200, 201, 202], action: "post" })]
        : []),
      ...(this.#can("deletecollection")
        ? [
            this.#operation({
              method: "delete",
              id: this.#id("delete", { collection: true }),
              action: "deletecollection",
              ...(this.#isDefined
                ? { parameters: [...listOptions, ...watchOptions] }
                : { parameters: [...listOptions, ...deleteOptions], body: this.#deleteBody() }),
              answer: this.#definitions.ref(`${metaPackage}.Status`),
            }),
          ]
        : []),
    ];
  }

  #object(): Operation[] {
    const own = this.#definitions.ref(this.#names.object);
    const name = [this.#name()];
    const { returnsDeletedObject, onDeleteBegun } = this.#target.resource.declaration;
    // Kinds with a deferred deletion respond with the object, but upstream does not publish that.
    const gone = returnsDeletedObject && !onDeleteBegun && !this.#isDefined ? own : undefined;
    return [
      ...(this.#can("get")
        ? [this.#operation({ method: "get", id: this.#id("read"), action: "get", answer: own })]
        : []),
      ...(this.#can("update")
        ? [this.#write("put", "replace", own, { codes: [200, 201], action: "put" })]
        : []),
      ...(this.#can("delete")
        ? [
            this.#operation({
              method: "delete",
              id: this.#id("delete"),
              action: "delete",
              parameters: deleteOptions,
              body: this.#deleteBody(),
              codes: [200, 202],
              answer: gone ?? this.#definitions.ref(`${metaPackage}.Status`),
            }),
          ]
        : []),
      ...(this.#can("patch") ? [this.#patch(own)] : []),
    ].map((operation) => ({ ...operation, parameters: [...operation.parameters, ...name] }));
  }

  #subresource(object: string, subresource: Subresource): [string, Operation[]][] {
    const { name, kind, group, version } = subresource;
    const path = `${object}/${name}`;
    if (kind.endsWith("Options")) return this.#connect(path, subresource);
    if (name === "log") return [[path, [this.#log()]]];
    const suffix = capital(name);
    const own = { group, version, kind };
    const isOwn = kind === this.#handle.kind && group === this.#handle.group;
    const answer = this.#definitions.ref(
      isOwn ? this.#names.object : (findSchema(group, version, kind)?.name ?? this.#names.object),
    );
    const can = (verb: string) => subresource.verbs.includes(verb);
    const read = { method: "get", id: this.#id("read", { suffix }), action: "get", answer };
    const operations = [
      ...(can("get") ? [this.#operation(read)] : []),
      ...(can("update")
        ? [this.#write("put", "replace", answer, { suffix, codes: [200, 201], action: "put" })]
        : []),
      ...(can("create")
        ? [
            this.#write("post", "create", answer, {
              suffix,
              codes: [200, 201, 202],
              action: "post",
            }),
          ]
        : []),
      ...(can("patch") ? [this.#patch(answer, suffix)] : []),
    ];
    const named = operations.map((operation) => ({
      ...operation,
      kind: own,
      description: this.#text(operation, name),
      parameters: [...operation.parameters, this.#name()],
    }));
    return [[path, named]];
  }

  #log(): Operation {
    return {
      ...this.#operation({
        method: "get",
        id: this.#id("read", { suffix: "Log" }),
        action: "get",
        answer: { type: "string" },
        description: operationText("get", { kind: this.#handle.kind, subresource: "log" }),
        parameters: [this.#name(), ...optionParameters("PodLogOptions")],
      }),
      produces: ["text/plain", ...this.#types],
    };
  }

  #connect(
    path: string,
    { name, kind, group, version, verbs }: Subresource,
  ): [string, Operation[]][] {
    const methods = verbs.includes("patch") ? connectMethods : ["get", "post"];
    const operations = (suffix: string, more: readonly Parameter[]): Operation[] =>
      methods.map((method) => ({
        method,
        tag: tagOf(this.#handle),
        id: this.#id(`connect`, { suffix, method: capital(method) }),
        description: operationText("connect", {
          kind: this.#handle.kind,
          subresource: name,
          method,
        }),
        parameters: [...this.#scope, this.#name(kind), ...optionParameters(kind), ...more],
        produces: ["*/*"],
        codes: [200],
        answer: { type: "string" },
        action: "connect",
        kind: { group, version, kind },
      }));
    const suffix = capital(name);
    if (name !== "proxy") return [[path, operations(suffix, [])]];
    return [
      [path, operations(suffix, [])],
      [
        `${path}/{path}`,
        operations(`${suffix}WithPath`, []).map((operation) => ({
          ...operation,
          parameters: [
            ...operation.parameters.filter((parameter) => parameter.name !== "path"),
            inPath("path"),
            ...query("string", "path"),
          ],
        })),
      ],
    ];
  }

  #watches(root: string, scope: string): [string, Operation[]][] {
    const { name, namespaced } = this.#handle;
    if (!this.#can("watch")) return [];
    const paths: [string, Operation[]][] = [
      [`${root}/watch${scope}/${name}`, [this.#list("watchlist", "")]],
      [`${root}/watch${scope}/${name}/{name}`, [this.#list("watch", "")]],
    ];
    if (namespaced) {
      paths.push([`${root}/watch/${name}`, [this.#list("watchlist", "ForAllNamespaces")]]);
    }
    return paths;
  }

  #list(action: "list" | "watchlist" | "watch", suffix: string): Operation {
    const all = suffix !== "";
    const listed = action === "watchlist" ? "List" : "";
    const id = this.#id(action === "list" ? "list" : "watch", {
      suffix: `${listed}${suffix}`,
      all,
    });
    const name = action === "list" ? this.#names.list : `${metaPackage}.WatchEvent`;
    const operation = this.#operation({
      method: "get",
      id,
      action,
      answer: this.#definitions.ref(name),
      parameters: [...listOptions, ...watchOptions, ...(action === "watch" ? [this.#name()] : [])],
    });
    return {
      ...operation,
      parameters: all
        ? operation.parameters.filter(({ name: one }) => one !== "namespace")
        : operation.parameters,
      produces: this.#isDefined ? this.#types : [...this.#types, ...streamTypes],
    };
  }

  #write(
    method: string,
    verb: string,
    own: Json,
    { suffix = "", ...rest }: { suffix?: string; codes: number[]; action: string },
  ): Operation {
    return this.#operation({
      ...rest,
      method,
      id: this.#id(verb, { suffix }),
      parameters: writeOptions,
      body: { schema: own, consumes: this.#consumes, required: true },
      answer: own,
    });
  }

  #patch(own: Json, suffix = ""): Operation {
    const strategic = "application/strategic-merge-patch+json";
    return this.#operation({
      method: "patch",
      id: this.#id("patch", { suffix }),
      action: "patch",
      parameters: patchOptions,
      body: {
        schema: this.#definitions.ref(`${metaPackage}.Patch`),
        consumes: this.#isDefined ? patchTypes : [...patchTypes, strategic],
        required: true,
      },
      codes: this.#isDefined ? [200] : [200, 201],
      answer: own,
    });
  }

  get #consumes(): readonly string[] {
    return this.#isDefined ? customTypes : ["*/*"];
  }

  #deleteBody() {
    const schema = this.#definitions.ref(`${metaPackage}.DeleteOptions`);
    return { schema, consumes: this.#consumes, required: false };
  }

  #name(kind = this.#handle.kind): Parameter {
    return { ...inPath("name"), description: `name of the ${kind}` };
  }

  #text({ action = "" }: Partial<Operation>, subresource = ""): string | undefined {
    return operationText(action, { kind: this.#handle.kind, subresource });
  }

  #operation(part: Pick<Operation, "method" | "id" | "answer"> & Partial<Operation>): Operation {
    const { group, version, kind } = this.#handle;
    return {
      tag: tagOf(this.#handle),
      produces: this.#types,
      codes: [200],
      kind: { group, version, kind },
      description: this.#text(part),
      ...part,
      parameters: [...(part.parameters ?? []), ...this.#scope, ...pretty],
    };
  }

  #id(
    verb: string,
    {
      suffix = "",
      method = "",
      collection = false,
      all = false,
    }: { suffix?: string; method?: string; collection?: boolean; all?: boolean } = {},
  ): string {
    const { version, kind, namespaced } = this.#handle;
    const group = groupName(this.#handle);
    const scope = namespaced && !all ? "Namespaced" : "";
    const whole = collection ? "Collection" : "";
    return `${verb}${capital(group)}${capital(version)}${method}${whole}${scope}${kind}${suffix}`;
  }
}

function optionParameters(kind: string): Parameter[] {
  const fields = findSchema("", "v1", kind)?.fields.values() ?? [];
  return [...fields]
    .filter(
      ({ name, schema }) => name !== "apiVersion" && name !== "kind" && schema.type !== "time",
    )
    .map(({ name, schema }) => ({ name, type: parameterType(schema) }));
}

function parameterType(schema: Schema): Parameter["type"] {
  const { type } = schema.type === "list" ? schema.items : schema;
  return type === "boolean" || type === "integer" ? type : "string";
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The name of a group in operation ids: core, apps, rbacAuthorization, exampleCom. */
function groupName({ group }: Pick<Resource, "group">): string {
  if (group === "") return "core";
  const [first = "", ...rest] = group.replace(/\.k8s\.io$/, "").split(/[.-]/);
  return first + rest.map(capital).join("");
}

/** The tag of a group version. */
export function tagOf({ group, version }: { group: string; version: string }): string {
  return version === "" ? groupName({ group }) : `${groupName({ group })}_${version}`;
}

/** The description of discovery of a group or of one of its versions. */
export function discoveryId({ group, version }: { group: string; version: string }): string {
  return `get${capital(groupName({ group }))}${capital(version)}API${version === "" ? "Group" : "Resources"}`;
}
