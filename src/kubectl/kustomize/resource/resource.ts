/** Upstream: sigs.k8s.io/kustomize/api/resource/resource.go. */

import { writeYaml } from "#/machinery/codec/yaml/yaml-writer.ts";
import { parseApiVersion } from "#/machinery/meta/api-version.ts";
import { goJson } from "#/machinery/values/go-format.ts";
import { messageOf } from "../../base/errors.ts";
import { sortedKeys } from "../../printers/json-printer.ts";
import { ensureMapping, setField } from "../yaml/edit-node.ts";
import { jsonOf } from "../yaml/node-value.ts";
import { isNilOrEmpty, scalarNode, stringNode, YamlNode } from "../yaml/yaml-node.ts";
import { allBuildAnnotations, buildAnnotations } from "./build-annotations.ts";
import { effectiveNamespace, type Gvk, type ResourceId } from "./resource-id.ts";

export type StringMap = Record<string, string>;

/** An object of a build; the build records its state in annotations. */
export class Resource {
  node: YamlNode;
  /** The vars whose values come from this object. */
  readonly varNames: string[] = [];

  constructor(node: YamlNode) {
    this.node = node;
  }

  get isEmpty(): boolean {
    return isNilOrEmpty(this.node);
  }

  copy(): Resource {
    const copied = new Resource(this.node.copy());
    copied.varNames.push(...this.varNames);
    return copied;
  }

  get kind(): string {
    return this.node.field("kind")?.value ?? "";
  }

  set kind(kind: string) {
    setField(this.node, "kind", scalarNode(kind));
  }

  get apiVersion(): string {
    return this.node.field("apiVersion")?.value ?? "";
  }

  set apiVersion(apiVersion: string) {
    setField(this.node, "apiVersion", scalarNode(apiVersion));
  }

  get gvk(): Gvk {
    return { ...parseApiVersion(this.apiVersion), kind: this.kind };
  }

  get name(): string {
    return this.#metaField("name");
  }

  set name(name: string) {
    setField(ensureMapping(this.node, "metadata"), "name", scalarNode(name));
  }

  get namespace(): string {
    return this.#metaField("namespace");
  }

  set namespace(namespace: string) {
    if (namespace !== "") {
      setField(ensureMapping(this.node, "metadata"), "namespace", scalarNode(namespace));
    } else this.node.field("metadata")?.removeField("namespace");
  }

  #metaField(name: string): string {
    const value = this.node.field("metadata")?.field(name);
    return isNilOrEmpty(value) ? "" : (value?.value ?? "");
  }

  get id(): ResourceId {
    return { ...this.gvk, name: this.name, namespace: this.namespace };
  }

  /** The ids before the current one, oldest first. */
  get previousIds(): ResourceId[] {
    const { annotations } = this;
    const names = annotations[buildAnnotations.previousNames];
    if (names === undefined) return [];
    const namespaces = (annotations[buildAnnotations.previousNamespaces] ?? "").split(",");
    const kinds = (annotations[buildAnnotations.previousKinds] ?? "").split(",");
    const { group, version } = this.gvk;
    return names.split(",").map((name, index) => ({
      group,
      version,
      kind: kinds[index] ?? "",
      name,
      namespace: namespaces[index] ?? "",
    }));
  }

  get originalId(): ResourceId {
    return this.previousIds[0] ?? this.id;
  }

  get allIds(): ResourceId[] {
    return [...this.previousIds, this.id];
  }

  /** Records the current id before it changes. */
  rememberId(): void {
    const { id } = this;
    this.#appendNote(buildAnnotations.previousNames, id.name);
    this.#appendNote(buildAnnotations.previousNamespaces, effectiveNamespace(id));
    this.#appendNote(buildAnnotations.previousKinds, id.kind);
  }

  #appendNote(name: string, value: string): void {
    if (value === "") return;
    const notes = [...this.#notes(name), value].join(",");
    const annotations = ensureMapping(ensureMapping(this.node, "metadata"), "annotations");
    if (annotations.isNull) annotations.assign(new YamlNode("mapping"));
    setField(annotations, name, stringNode(notes));
  }

  #notes(name: string): string[] {
    return this.annotations[name]?.split(",") ?? [];
  }

  get prefixes(): string[] {
    return this.#notes(buildAnnotations.prefixes);
  }

  get suffixes(): string[] {
    return this.#notes(buildAnnotations.suffixes);
  }

  addPrefix(prefix: string): void {
    this.#appendNote(buildAnnotations.prefixes, prefix);
  }

  addSuffix(suffix: string): void {
    this.#appendNote(buildAnnotations.suffixes, suffix);
  }

  addReferrer(id: string): void {
    this.#appendNote(buildAnnotations.refBy, id);
  }

  get labels(): StringMap {
    return this.#metaMap("labels");
  }

  set labels(labels: StringMap) {
    this.#setMetaMap("labels", labels);
  }

  get annotations(): StringMap {
    return this.#metaMap("annotations");
  }

  set annotations(annotations: StringMap) {
    this.#setMetaMap("annotations", annotations);
  }

  #metaMap(field: string): StringMap {
    const map = this.node.field("metadata")?.field(field);
    const entries = (map?.entries ?? []).map(({ key, value }) => [key.value, value.value]);
    return Object.fromEntries(entries) as StringMap;
  }

  /** Sets a map of strings; removes the field if the map is empty. */
  #setMetaMap(field: string, map: StringMap): void {
    const metadata = ensureMapping(this.node, "metadata");
    metadata.removeField(field);
    const names = Object.keys(map).sort();
    if (names.length === 0) return;
    const made = ensureMapping(metadata, field);
    for (const name of names) setField(made, name, stringNode(map[name] ?? ""));
  }

  isEnabled(annotation: string): boolean {
    return this.annotations[annotation] === "enabled";
  }

  enable(annotation: string): void {
    this.annotations = { ...this.annotations, [annotation]: "enabled" };
  }

  removeBuildAnnotations(): void {
    const { annotations } = this;
    if (Object.keys(annotations).length === 0) return;
    for (const name of allBuildAnnotations) delete annotations[name];
    this.annotations = annotations;
  }

  toYaml(): string {
    return writeYaml(sortedKeys(jsonOf(this.node)));
  }

  /** As upstream prints an object in messages. */
  toString(): string {
    try {
      return goJson(sortedKeys(jsonOf(this.node)));
    } catch (error) {
      return `<${messageOf(error)}>`;
    }
  }
}
