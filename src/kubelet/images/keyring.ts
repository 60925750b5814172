/** Upstream: pkg/credentialprovider/keyring.go, pkg/credentialprovider/secrets/secrets.go. */
import { createHash } from "node:crypto";
import type { Secret } from "#/api/core/v1.ts";
import type { AuthConfig } from "../cri/image-messages.ts";
import { defaultRegistryKey, isDefaultRegistry } from "./image-name.ts";

interface DockerEntry {
  username?: string;
  password?: string;
  /** Both, in base64: `user:password`. */
  auth?: string;
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
  readonly #credentials = new Map<string, PullCredential[]>();

  /** Adds the credentials of a pull secret; a secret of another type has none. Throws if it can't be parsed. */
  addSecret({ metadata, type, data = {} }: Secret): void {
    const { uid = "", namespace = "", name = "" } = metadata ?? {};
    const source = { uid, namespace, name };
    const json = data[".dockerconfigjson"];
    const old = data[".dockercfg"];
    if (type === "kubernetes.io/dockerconfigjson" && json) {
      this.add((decodeJson(json) as { auths?: Record<string, DockerEntry> }).auths ?? {}, source);
    } else if (type === "kubernetes.io/dockercfg" && old) {
      this.add(decodeJson(old) as Record<string, DockerEntry>, source);
    }
  }

  /** Adds credentials by registry, with or without scheme and path. */
  add(entries: Readonly<Record<string, DockerEntry>>, source: CredentialSource): void {
    for (const [registry, entry] of Object.entries(entries)) {
      const key = keyOf(registry);
      if (key === undefined) continue;
      const auth = { ...split(entry.auth), ...pick(entry) };
      const credential = { auth, source, hash: hashOf(auth) };
      this.#credentials.set(key, [...(this.#credentials.get(key) ?? []), credential]);
    }
  }

  /** All credentials that match, the most specific first. */
  lookup(repository: string): readonly PullCredential[] {
    const keys = [...this.#credentials.keys()].sort().reverse();
    const found = keys
      .filter((key) => matches(key, repository))
      .flatMap((key) => this.#credentials.get(key) ?? []);
    if (found.length > 0 || !isDefaultRegistry(repository)) return found;
    return this.#credentials.get(defaultRegistryKey) ?? [];
  }
}

function hashOf({ username, password }: AuthConfig): string {
  const text = JSON.stringify({ ...(username && { username }), ...(password && { password }) });
  return createHash("sha256").update(text).digest("hex");
}

function decodeJson(base64: string): unknown {
  return JSON.parse(Buffer.from(base64, "base64").toString());
}

function pick({ username, password }: DockerEntry): AuthConfig {
  return { ...(username && { username }), ...(password && { password }) };
}

function split(auth: string | undefined): AuthConfig {
  if (!auth) return {};
  const text = Buffer.from(auth, "base64").toString();
  const at = text.indexOf(":");
  if (at < 0) return {};
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
function matches(key: string, repository: string): boolean {
  const a = takeApart(key);
  const b = takeApart(repository);
  return (
    a.port === b.port &&
    a.parts.length === b.parts.length &&
    b.path.startsWith(a.path) &&
    a.parts.every((part, index) => globMatches(part, b.parts[index] ?? ""))
  );
}

function takeApart(text: string): { parts: string[]; port: string; path: string } {
  const slash = text.indexOf("/");
  const authority = slash < 0 ? text : text.slice(0, slash);
  const [, host = authority, port = ""] = /^(.*):(\d+)$/.exec(authority) ?? [];
  return { parts: host.split("."), port, path: slash < 0 ? "" : text.slice(slash) };
}

function globMatches(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`).test(text);
}
