/** Upstream: pkg/credentialprovider/keyring.go, pkg/credentialprovider/secrets/secrets.go. */
import { createHash } from "node:crypto";
import type { Secret } from "#/api/core/v1.ts";
import { goJsonType } from "#/machinery/patch/values/go-value.ts";
import { fileMatches } from "#/std/go/file-match.ts";
import type { AuthConfig } from "../cri/image-messages.ts";
import { defaultRegistryKey, isDefaultRegistry } from "./image-name.ts";

/** The entry of a registry; its values are checked by readEntry(). */
interface DockerEntry {
  readonly username?: unknown;
  readonly password?: unknown;
  /** Both, in base64: `user:password`. */
  readonly auth?: unknown;
}

/** The source of credentials. */
interface CredentialSource {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

/** Credentials for a registry. */
export interface PullCredential {
  readonly auth: AuthConfig;
  readonly source: CredentialSource;
  /** A hash that distinguishes credentials without containing them. */
  readonly hash: string;
}

/** Credentials for registries, found by the name of an image. */
export class Keyring {
  readonly #credentials = new Map<string, { auth: AuthConfig; source: CredentialSource }[]>();

  /** Adds the credentials of a pull secret; a secret of another type has none. Throws if it can't be parsed. */
  addSecret({ metadata, type, data = {} }: Secret): void {
    const { uid = "", namespace = "", name = "" } = metadata ?? {};
    const source = { uid, namespace, name };
    const json = data[".dockerconfigjson"];
    const old = data[".dockercfg"];
    if (type === "kubernetes.io/dockerconfigjson" && json) {
      this.add(asObject(asObject(decodeJson(json))["auths"]), source);
    } else if (type === "kubernetes.io/dockercfg" && old) {
      this.add(asObject(decodeJson(old)), source);
    }
  }

  /** Adds credentials by registry, with or without scheme and path. Throws if an entry is invalid. */
  add(entries: Readonly<Record<string, unknown>>, source: CredentialSource): void {
    for (const [registry, entry] of Object.entries(entries)) {
      const auth = readEntry(asObject(entry));
      const key = keyOf(registry);
      if (key === undefined) continue;
      const held = this.#credentials.get(key);
      if (held) held.push({ auth, source });
      else this.#credentials.set(key, [{ auth, source }]);
    }
  }

  /** All credentials that match, the most specific first. */
  lookup(repository: string): readonly PullCredential[] {
    const target = takeApart(repository);
    const keys = [...this.#credentials.keys()].filter((key) => matches(takeApart(key), target));
    const found = keys
      .sort()
      .reverse()
      .flatMap((key) => this.#credentials.get(key) ?? []);
    const isDefault = found.length === 0 && isDefaultRegistry(repository);
    const usual = isDefault ? (this.#credentials.get(defaultRegistryKey) ?? []) : found;
    return usual.map(({ auth, source }) => ({ auth, source, hash: hashOf(auth) }));
  }
}

function hashOf({ username, password }: AuthConfig): string {
  const text = JSON.stringify({ ...(username && { username }), ...(password && { password }) });
  return createHash("sha256").update(text).digest("hex");
}

function decodeJson(base64: string): unknown {
  return JSON.parse(Buffer.from(base64, "base64").toString());
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (value === null || value === undefined) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error(`json: cannot unmarshal ${goJsonType(value)} into a registry's credentials`);
}

function asText(value: unknown, field: string): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  throw new Error(
    `json: cannot unmarshal ${goJsonType(value)} into Go struct field dockerConfigEntryWithAuth.${field} of type string`,
  );
}

/** The field auth, if there is one, counts more than the others. */
function readEntry(entry: DockerEntry): AuthConfig {
  const username = asText(entry.username, "username");
  const password = asText(entry.password, "password");
  const auth = asText(entry.auth, "auth");
  if (auth !== "") return split(auth);
  return { ...(username && { username }), ...(password && { password }) };
}

function split(auth: string): AuthConfig {
  const text = Buffer.from(auth, "base64").toString();
  const at = text.indexOf(":");
  if (at < 0) {
    throw new Error("unable to parse auth field, must be formatted as base64(username:password)");
  }
  return { username: text.slice(0, at), password: text.slice(at + 1).replace(/\0+$/, "") };
}

/** Host and path, where `/v1/` and `/v2/` stand for the host alone. */
function keyOf(registry: string): string | undefined {
  const text = /^https?:\/\//.test(registry) ? registry : `https://${registry}`;
  const match = /^https?:\/\/([^/]+)(\/.*)?$/.exec(text);
  if (!match) return undefined;
  const [, host = "", path = ""] = match;
  const effective = path.replace(/^\/v[12](?=\/)/, "");
  return effective === "" || effective === "/" ? host : host + effective;
}

/** Host parts may contain `*`; ports must be equal; the path of the credentials is a prefix of the image's. */
function matches(key: RegistryName, image: RegistryName): boolean {
  return (
    key.port === image.port &&
    key.parts.length === image.parts.length &&
    image.path.startsWith(key.path) &&
    key.parts.every((part, index) => fileMatches(part, image.parts[index] ?? ""))
  );
}

interface RegistryName {
  readonly parts: readonly string[];
  readonly port: string;
  readonly path: string;
}

function takeApart(text: string): RegistryName {
  const slash = text.indexOf("/");
  const authority = slash < 0 ? text : text.slice(0, slash);
  const [, host = authority, port = ""] = /^(.*):(\d+)$/.exec(authority) ?? [];
  return { parts: host.split("."), port, path: slash < 0 ? "" : text.slice(slash) };
}
