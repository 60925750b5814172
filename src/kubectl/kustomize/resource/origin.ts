/** Upstream: sigs.k8s.io/kustomize/api/resource/origin.go. */
import { join } from "node:path";
import { readYaml } from "#/machinery/codec/yaml/yaml-reader.ts";
import { parseRepoUrl } from "../files/repo-url.ts";
import { nodeOf } from "../yaml/node-value.ts";
import { writeNode } from "../yaml/write-node.ts";
import { mappingNode, scalarNode, sequenceNode, type YamlNode } from "../yaml/yaml-node.ts";
import { originAnnotation, transformationsAnnotation } from "./build-annotations.ts";
import type { Resource } from "./resource.ts";

/** The origin of an object, or of the plugin that created or changed it. */
export interface Origin {
  readonly path?: string;
  readonly repo?: string;
  readonly ref?: string;
  readonly configuredIn?: string;
  readonly configuredBy?: {
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
  };
}

export function originBelow(origin: Origin, path: string): Origin {
  const url = parseRepoUrl(path);
  if (!url) return { ...origin, path: join(origin.path ?? "", path) };
  return { ...origin, repo: url.repository, ref: url.ref, path: join("", url.folder) };
}

function originNode(origin: Origin): YamlNode {
  const node = mappingNode();
  for (const name of ["path", "repo", "ref", "configuredIn", "configuredBy"] as const) {
    const value = origin[name];
    if (value === undefined || value === "") continue;
    const part = typeof value === "string" ? nodeOf(value) : identifierNode(value);
    if (part.kind === "mapping" && part.entries.length === 0) continue;
    node.entries.push({ key: scalarNode(name), value: part });
  }
  return node;
}

function identifierNode(identifier: NonNullable<Origin["configuredBy"]>): YamlNode {
  const node = mappingNode();
  for (const name of ["apiVersion", "kind", "name", "namespace"] as const) {
    const value = identifier[name];
    if (value) node.entries.push({ key: scalarNode(name), value: nodeOf(value) });
  }
  return node;
}

export function originText(origin: Origin): string {
  return writeNode(originNode(origin));
}

export function originOf(resource: Resource): Origin | undefined {
  const text = resource.annotations[originAnnotation];
  return text === undefined ? undefined : (readYaml(Buffer.from(text)).value as Origin);
}

export function setOrigin(resource: Resource, origin: Origin | undefined): void {
  const { annotations } = resource;
  if (origin === undefined) delete annotations[originAnnotation];
  else annotations[originAnnotation] = originText(origin);
  resource.annotations = annotations;
}

/** Records a transformer on an object; an object without an origin gets it as origin. */
export function addTransformation(resource: Resource, origin: Origin): void {
  if (!originOf(resource)) {
    setOrigin(resource, origin);
    return;
  }
  const { annotations } = resource;
  const text = annotations[transformationsAnnotation];
  const earlier = text === undefined ? [] : (readYaml(Buffer.from(text)).value as Origin[]);
  const list = sequenceNode([...earlier, origin].map(originNode));
  annotations[transformationsAnnotation] = writeNode(list);
  resource.annotations = annotations;
}

export function clearTransformations(resource: Resource): void {
  const { annotations } = resource;
  delete annotations[transformationsAnnotation];
  resource.annotations = annotations;
}

/** The origin of objects that a plugin with its own configuration creates. */
export function originFromPlugin(config: Resource): Origin | undefined {
  const origin = originOf(config);
  if (!origin) return undefined;
  const { apiVersion, kind, name, namespace } = config;
  return {
    ...(origin.repo && { repo: origin.repo }),
    ...(origin.ref && { ref: origin.ref }),
    configuredIn: origin.path ?? "",
    configuredBy: { apiVersion, kind, name, namespace },
  };
}
