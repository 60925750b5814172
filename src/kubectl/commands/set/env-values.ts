/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/set/env/env_resolve.go. */
import { configMaps, type EnvVarSource, secrets } from "#/api/core/v1.ts";
import { parseQuantity, zeroQuantity } from "#/machinery/values/quantity.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { messageOf } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import type { ContainerLike } from "./set-objects.ts";

/** A value, or the reason why there is none. */
interface FoundValue {
  readonly value?: string;
  readonly error?: string;
}

/** The source of a variable, in words. */
export function referenceText(from: EnvVarSource): string {
  const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef } = from;
  if (configMapKeyRef) return `configmap ${configMapKeyRef.name}, key ${configMapKeyRef.key}`;
  if (secretKeyRef) return `secret ${secretKeyRef.name}, key ${secretKeyRef.key}`;
  if (fieldRef) return `field path ${fieldRef.fieldPath}`;
  if (resourceFieldRef) {
    const { containerName = "", resource } = resourceFieldRef;
    return `resource field ${containerName === "" ? "" : `${containerName}/`}${resource}`;
  }
  return "invalid valueFrom";
}

/** Resolves the references of variables. */
export class EnvValues {
  readonly #context: Context;
  readonly #namespace: string;
  readonly #found = new Map<string, Promise<Readonly<Record<string, string>>>>();

  constructor(context: Context, namespace: string) {
    this.#context = context;
    this.#namespace = namespace;
  }

  async find(
    from: EnvVarSource,
    object: Unstructured,
    container: ContainerLike,
  ): Promise<FoundValue> {
    try {
      return { value: await this.#value(from, object, container) };
    } catch (error) {
      return { error: messageOf(error) };
    }
  }

  async #value(
    from: EnvVarSource,
    object: Unstructured,
    container: ContainerLike,
  ): Promise<string> {
    const { configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef } = from;
    if (secretKeyRef) return this.#key("secret", secretKeyRef.name ?? "", secretKeyRef.key);
    if (configMapKeyRef)
      return this.#key("config map", configMapKeyRef.name ?? "", configMapKeyRef.key);
    if (fieldRef) return fieldValue(object, fieldRef.fieldPath);
    if (resourceFieldRef) {
      return resourceValue(
        container,
        resourceFieldRef.resource,
        String(resourceFieldRef.divisor ?? "1"),
      );
    }
    throw new Error("invalid valueFrom");
  }

  async #key(what: "secret" | "config map", name: string, key: string): Promise<string> {
    const id = `${what}/${name}`;
    const known = this.#found.get(id) ?? this.#read(what, name);
    this.#found.set(id, known);
    const value = (await known)[key];
    if (value === undefined) throw new Error(`key ${key} not found in ${what} ${name}`);
    return value;
  }

  async #read(
    what: "secret" | "config map",
    name: string,
  ): Promise<Readonly<Record<string, string>>> {
    const client = await this.#context.cluster.client();
    const ref = { name, namespace: this.#namespace };
    if (what === "config map") return (await client.get(configMaps, ref)).data ?? {};
    const entries = Object.entries((await client.get(secrets, ref)).data ?? {});
    return Object.fromEntries(
      entries.map(([key, value]) => [key, Buffer.from(String(value), "base64").toString()]),
    );
  }
}

function fieldValue({ metadata = {} }: Unstructured, path: string): string {
  const subscript = /^(.+)\['(.*)'\]$/.exec(path);
  if (subscript) {
    const [, map, key = ""] = subscript;
    if (map === "metadata.annotations") return metadata.annotations?.[key] ?? "";
    if (map === "metadata.labels") return metadata.labels?.[key] ?? "";
    throw new Error(`fieldPath ${goQuote(path)} does not support subscript`);
  }
  switch (path) {
    case "metadata.annotations":
      return mapText(metadata.annotations ?? {});
    case "metadata.labels":
      return mapText(metadata.labels ?? {});
    case "metadata.name":
      return metadata.name ?? "";
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "metadata.uid":
      return metadata.uid ?? "";
    default:
      throw new Error(`unsupported fieldPath: ${path}`);
  }
}

function mapText(map: Readonly<Record<string, string>>): string {
  return Object.entries(map)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .join("\n");
}

function resourceValue(
  { resources = {} }: ContainerLike,
  resource: string,
  divisor: string,
): string {
  const [list = "", ...rest] = resource.split(".");
  const name = rest.join(".");
  const isKnown =
    ["cpu", "memory", "ephemeral-storage"].includes(name) || name.startsWith("hugepages-");
  if ((list !== "limits" && list !== "requests") || !isKnown) {
    throw new Error(`Unsupported container resource : ${resource}`);
  }
  const text = resources[list]?.[name];
  const quantity = text === undefined ? zeroQuantity : parseQuantity(String(text));
  const by = parseQuantity(divisor === "0" ? "1" : divisor);
  const ratio = Number(quantity.milliValue()) / Number(by.milliValue());
  return String(Math.ceil(ratio));
}
