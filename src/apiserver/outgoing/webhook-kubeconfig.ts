import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseYaml } from "#/std/text/yaml.ts";

/** Address of a webhook, and the certificates of both sides. */
export interface WebhookEndpoint {
  readonly url: string;
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly authorization?: string;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads a webhook's kubeconfig file. Upstream: staging/src/k8s.io/apiserver/pkg/util/webhook/webhook.go. */
export function readWebhookKubeconfig(path: string): WebhookEndpoint {
  const config = (parseYaml(readFileSync(path, "utf8")) ?? {}) as Fields;
  const context = named(config["contexts"], config["current-context"], "context");
  const cluster = named(config["clusters"], context["cluster"], "cluster");
  const user = named(config["users"], context["user"], "user");
  const url = text(cluster, "server");
  if (url === undefined) throw new Error(`${path}: the current context names no server`);
  const read = (fields: Fields, field: string): Buffer | undefined => {
    const data = text(fields, `${field}-data`);
    if (data !== undefined) return Buffer.from(data, "base64");
    const file = text(fields, field);
    return file === undefined ? undefined : readFileSync(resolve(dirname(path), file));
  };
  const ca = read(cluster, "certificate-authority");
  const cert = read(user, "client-certificate");
  const key = read(user, "client-key");
  const authorization = authorizationOf(user, read(user, "tokenFile"));
  const servername = text(cluster, "tls-server-name");
  return {
    url,
    rejectUnauthorized: cluster["insecure-skip-tls-verify"] !== true,
    ...(ca ? { ca } : {}),
    ...(cert ? { cert } : {}),
    ...(key ? { key } : {}),
    ...(authorization ? { authorization } : {}),
    ...(servername ? { servername } : {}),
  };
}

function authorizationOf(user: Fields, tokenFile: Buffer | undefined): string | undefined {
  const token = text(user, "token") ?? tokenFile?.toString("utf8").trim();
  if (token !== undefined) return `Bearer ${token}`;
  const name = text(user, "username");
  if (name === undefined) return undefined;
  return `Basic ${Buffer.from(`${name}:${text(user, "password") ?? ""}`).toString("base64")}`;
}

/** The entry with a name in one of a kubeconfig's lists. */
function named(list: unknown, name: unknown, field: string): Fields {
  const entries = Array.isArray(list) ? (list as Fields[]) : [];
  return (entries.find((entry) => entry["name"] === name)?.[field] ?? {}) as Fields;
}

function text(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
