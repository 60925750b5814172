/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/apply/applyset.go, applyset_pruner.go. */

import { createHash } from "node:crypto";
import { customResourceDefinitions } from "#/api/apiextensions/v1.ts";
import { kubernetesVersion } from "#/api/base/kubernetes-version.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { isConflict, isNotFound } from "#/machinery/meta/status-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, messageOf, throwAll } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import type { Mapping } from "../../discovery/discovered-group.ts";
import { groupResource } from "../../discovery/rest-mapper.ts";
import type { ResourceInfo } from "../../resource/resource-info.ts";
import type { Applying } from "./applying.ts";
import { deletePruned } from "./prune.ts";

const annotations = {
  tooling: "applyset.kubernetes.io/tooling",
  namespaces: "applyset.kubernetes.io/additional-namespaces",
  resources: "applyset.kubernetes.io/contains-group-resources",
  kinds: "applyset.kubernetes.io/contains-group-kinds",
};
const idLabel = "applyset.kubernetes.io/id";
const memberLabel = "applyset.kubernetes.io/part-of";
const parentTypeLabel = "applyset.kubernetes.io/is-parent-type";
const tool = "kubectl";
const toolVersion = kubernetesVersion;
const fieldManager = `${tool}-applyset`;

interface Members {
  readonly kinds: Map<string, Mapping>;
  readonly namespaces: Set<string>;
}

/** A set of objects applied together, recorded in a parent object so that dropped ones can be found and deleted. */
export class ApplySet {
  readonly #context: Context;
  readonly #mapping: Mapping;
  readonly #name: string;
  readonly #namespace: string;
  #current: Members = { kinds: new Map(), namespaces: new Set() };
  readonly #updated: Members = { kinds: new Map(), namespaces: new Set() };

  constructor(context: Context, mapping: Mapping, name: string, namespace: string) {
    this.#context = context;
    this.#mapping = mapping;
    this.#name = name;
    this.#namespace = namespace;
  }

  /** Parses `[RESOURCE][.GROUP]/NAME`. */
  static async open(
    context: Context,
    reference: string,
    { namespace, explicit }: { readonly namespace: string; readonly explicit: boolean },
  ): Promise<ApplySet> {
    try {
      const slash = reference.indexOf("/");
      const name = reference.slice(slash + 1);
      if (name === "") throw new CommandError("name cannot be blank");
      const mapper = await context.cluster.mapper();
      const mapping = await mapper.mappingFor(slash < 0 ? "secrets" : reference.slice(0, slash));
      return new ApplySet(context, mapping, name, explicit && mapping.namespaced ? namespace : "");
    } catch (error) {
      throw new CommandError(`invalid parent reference ${goQuote(reference)}: ${messageOf(error)}`);
    }
  }

  get id(): string {
    const { kind, group } = this.#mapping;
    const text = [this.#name, this.#namespace, kind, group].join(".");
    return `applyset-${createHash("sha256").update(text).digest("base64url")}-v1`;
  }

  async validate(): Promise<void> {
    const errors: CommandError[] = [];
    if (this.#mapping.namespaced && this.#namespace === "") {
      errors.push(new CommandError("namespace is required to use namespace-scoped ApplySet"));
    }
    if (!this.#isBuiltIn && !(await this.#isPermittedType())) {
      const { group, version, name } = this.#mapping;
      const resource = goQuote(`${group}/${version}, Resource=${name}`);
      errors.push(new CommandError(`resource ${resource} is not permitted as an ApplySet parent`));
    }
    throwAll(errors);
  }

  /** Marks objects as members. */
  label(infos: readonly ResourceInfo[]): void {
    for (const { object } of infos) {
      if (object === undefined) continue;
      if (object.metadata?.labels?.[memberLabel] !== undefined) {
        throw new CommandError(`ApplySet label ${goQuote(memberLabel)} already set in input data`);
      }
      const labels = { ...object.metadata?.labels, [memberLabel]: this.id };
      object.metadata = { ...object.metadata, labels };
    }
  }

  /** Records the types and namespaces of future members before any is applied. */
  async beforeApply(infos: readonly ResourceInfo[], applying: Applying): Promise<void> {
    await this.#readParent();
    for (const { mapping, namespace } of infos) {
      this.#updated.kinds.set(kindText(mapping), mapping);
      if (mapping.namespaced && namespace !== "") this.#updated.namespaces.add(namespace);
    }
    await this.#writeParent(applying, {
      kinds: new Map([...this.#current.kinds, ...this.#updated.kinds]),
      namespaces: new Set([...this.#current.namespaces, ...this.#updated.namespaces]),
    });
  }

  /** Deletes members that were not applied this time. */
  async prune(applying: Applying): Promise<void> {
    const { kinds, namespaces } = this.#current;
    for (const mapping of kinds.values()) {
      for (const namespace of mapping.namespaced ? namespaces : [""]) {
        await this.#pruneType(applying, mapping, namespace);
      }
    }
    try {
      await this.#writeParent(applying, this.#updated);
    } catch (error) {
      throw new CommandError(
        `apply and prune succeeded, but ApplySet update failed: ${messageOf(error)}`,
      );
    }
  }

  async #pruneType(applying: Applying, mapping: Mapping, namespace: string): Promise<void> {
    const client = await this.#context.cluster.client();
    const labelSelector = `${memberLabel}=${this.id}`;
    const items = await client.listAll(mapping, { namespace, labelSelector });
    for (const item of items as readonly Unstructured[]) {
      if (applying.visitedUids.has(item.metadata?.uid ?? "")) continue;
      const object = { apiVersion: apiVersionOf(mapping), kind: mapping.kind, ...item };
      if (applying.dryRun !== "client") await deletePruned(applying, mapping, object);
      applying.print("pruned", object);
    }
  }

  get #isBuiltIn(): boolean {
    const { group, version, name } = this.#mapping;
    return group === "" && version === "v1" && ["secrets", "configmaps"].includes(name);
  }

  get #shown(): string {
    return goQuote(`${this.#mapping.name}.${this.#mapping.group}/${this.#name}`);
  }

  async #isPermittedType(): Promise<boolean> {
    const client = await this.#context.cluster.client();
    const items = await client.listAll(customResourceDefinitions, {
      labelSelector: parentTypeLabel,
    });
    return items.some(({ metadata }) => {
      const { resource, group } = groupResource(metadata?.name ?? "");
      return resource === this.#mapping.name && group === this.#mapping.group;
    });
  }

  async #readParent(): Promise<void> {
    const client = await this.#context.cluster.client();
    const ref = { name: this.#name, namespace: this.#namespace };
    let parent: Unstructured;
    try {
      parent = await client.get(this.#mapping, ref);
    } catch (error) {
      if (!isNotFound(error)) {
        throw new CommandError(
          `failed to fetch ApplySet parent object ${this.#shown}: ${messageOf(error)}`,
        );
      }
      if (this.#isBuiltIn) return;
      throw new CommandError("custom resource ApplySet parents cannot be created automatically");
    }
    this.#checkParent(parent);
    this.#current = await this.#membersOf(parent);
  }

  #checkParent({ metadata }: Unstructured): void {
    const by = metadata?.annotations?.[annotations.tooling];
    if (by === undefined) {
      throw new CommandError(
        `ApplySet parent object ${this.#shown} already exists and is missing required annotation ${goQuote(annotations.tooling)}`,
      );
    }
    const name = by.includes("/") ? by.slice(0, by.lastIndexOf("/")) : by;
    if (name !== tool) {
      throw new CommandError(
        `ApplySet parent object ${this.#shown} already exists and is managed by tooling ${goQuote(name)} instead of ${goQuote(tool)}`,
      );
    }
    const id = metadata?.labels?.[idLabel];
    if (id === undefined) {
      throw new CommandError(
        `ApplySet parent object ${this.#shown} exists and does not have required label ${idLabel}`,
      );
    }
    if (id !== this.id) {
      throw new CommandError(
        `ApplySet parent object ${this.#shown} exists and has incorrect value for label ${goQuote(idLabel)} (got: ${id}, want: ${this.id})`,
      );
    }
  }

  async #membersOf({ metadata }: Unstructured): Promise<Members> {
    const given = metadata?.annotations ?? {};
    const kindsText = given[annotations.kinds] ?? given[annotations.resources];
    if (kindsText === undefined) {
      throw new CommandError(
        `parsing ApplySet annotation on ${this.#shown}: kubectl requires the ${goQuote(annotations.kinds)} annotation to be set on all ApplySet parent objects`,
      );
    }
    const mapper = await this.#context.cluster.mapper();
    const kinds = new Map<string, Mapping>();
    for (const text of kindsText.split(",").filter((part) => part !== "")) {
      const mapping = await mapper.mappingFor(text);
      kinds.set(kindText(mapping), mapping);
    }
    const names = (given[annotations.namespaces] ?? "").split(",").filter((name) => name !== "");
    const own = this.#mapping.namespaced ? [this.#namespace] : [];
    return { kinds, namespaces: new Set([...names, ...own]) };
  }

  async #writeParent({ dryRun, fieldValidation }: Applying, members: Members): Promise<void> {
    if (dryRun === "client") return;
    const client = await this.#context.cluster.client();
    const ref = { name: this.#name, namespace: this.#namespace };
    const body = JSON.stringify(this.#parentPatch(members));
    const options = {
      type: "apply",
      dryRun: dryRun === "server",
      fieldManager,
      fieldValidation,
    } as const;
    try {
      await client.patch(this.#mapping, ref, body, { ...options, force: false });
    } catch (error) {
      if (!isConflict(error))
        throw new CommandError(`failed to update ApplySet: ${messageOf(error)}`);
      await client.patch(this.#mapping, ref, body, { ...options, force: true });
    }
  }

  #parentPatch({ kinds, namespaces }: Members): Unstructured {
    const others = [...namespaces].filter((name) => name !== this.#namespace);
    return {
      kind: this.#mapping.kind,
      apiVersion: apiVersionOf(this.#mapping),
      metadata: {
        name: this.#name,
        ...(this.#namespace === "" ? {} : { namespace: this.#namespace }),
        annotations: {
          [annotations.tooling]: `${tool}/${toolVersion}`,
          [annotations.kinds]: [...kinds.keys()].sort().join(","),
          [annotations.namespaces]: others.sort().join(","),
        },
        labels: { [idLabel]: this.id },
      },
    };
  }
}

const kindText = ({ kind, group }: Mapping): string => (group === "" ? kind : `${kind}.${group}`);
