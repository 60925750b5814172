/** Upstream: cmd/kubeadm/app/discovery/token. */
import { X509Certificate } from "node:crypto";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { readPemBlocks } from "#/std/x509/pem.ts";
import { signDetached } from "#/std/x509/sign-detached.ts";
import { CommandFailure } from "../base/command-failure.ts";
import { ownCommand } from "../base/own-command.ts";
import { askServer } from "./ask-server.ts";
import type { BootstrapToken } from "./bootstrap-token.ts";
import { caHash } from "./ca-hash.ts";

/** The ConfigMap in kube-public with the cluster's authority, for machines that don't trust it yet. */
export function clusterInfo(server: string, authority: string): object {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "",
        cluster: {
          server,
          "certificate-authority-data": Buffer.from(authority).toString("base64"),
        },
      },
    ],
    contexts: null,
    "current-context": "",
    users: null,
  };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "cluster-info", namespace: "kube-public" },
    data: { kubeconfig: JSON.stringify(config) },
  };
}

/**
 * Requests the authority from a server that is not trusted yet. Returns the certificates of the expected hash; if there
 * is any other, none of them is trusted.
 */
export async function discoverAuthority(server: string, expectedHash: string): Promise<string> {
  const authority = authorityOf(await readClusterInfo(server, undefined));
  const certificates = readPemBlocks(authority)
    .filter(({ type }) => type === "CERTIFICATE")
    .map(({ der }) => new X509Certificate(der).toString());
  if (certificates.length === 0) {
    throw new CommandFailure(`${server} does not say who its authority is`);
  }
  const other = certificates.map(caHash).find((hash) => hash !== expectedHash);
  if (other !== undefined) {
    throw new CommandFailure(
      `${server} is not the server that --ca-hash names\n  wanted ${expectedHash}\n  found  ${other}`,
    );
  }
  return certificates.join("");
}

/** Limit of the time until the server has signed its cluster-info with a new token (ms). */
const signatureMs = 15_000;
const signatureIntervalMs = 250;

/** Throws unless the server's cluster-info is signed with the token: the server knows it, and its authority is in it. */
export async function checkSignature(
  server: string,
  authority: string,
  { id, secret }: BootstrapToken,
  clock: Clock = systemClock,
): Promise<void> {
  const endMs = clock.now() + signatureMs;
  for (;;) {
    const info = await readClusterInfo(server, authority);
    const kubeconfig = info.get("kubeconfig") ?? "";
    const signature = info.get(`jws-kubeconfig-${id}`);
    if (signature === signDetached(kubeconfig, id, secret)) return;
    if (clock.now() >= endMs) {
      throw new CommandFailure(
        signature === undefined
          ? `${server} has not signed its cluster-info with the token "${id}": it has expired, or its controllers do not run`
          : `failed to verify the signature of the cluster-info of ${server}: it can't be trusted`,
      );
    }
    await clock.sleep(signatureIntervalMs);
  }
}

/** The entries of the cluster-info of a server. */
async function readClusterInfo(
  server: string,
  authority: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const url = new URL("/api/v1/namespaces/kube-public/configmaps/cluster-info", server);
  const { status, body } = await askServer(url, { authority });
  if (status !== 200) {
    throw new CommandFailure(`${server} answered with ${status}: ${body.slice(0, 200)}`);
  }
  const { data } = JSON.parse(body) as { data?: Readonly<Record<string, string>> };
  return new Map(Object.entries(data ?? {}));
}

function authorityOf(info: ReadonlyMap<string, string>): string {
  const config = JSON.parse(info.get("kubeconfig") ?? "{}") as {
    clusters?: { cluster?: { "certificate-authority-data"?: string } }[];
  };
  const encoded = config.clusters?.[0]?.cluster?.["certificate-authority-data"] ?? "";
  return Buffer.from(encoded, "base64").toString("latin1");
}

/** Throws unless the server accepts the token: an invalid or expired one is rejected at once. */
export async function checkToken(server: string, authority: string, token: string): Promise<void> {
  const { status } = await askServer(new URL("/api", server), { authority, token });
  if (status !== 401) return;
  throw new CommandFailure(
    `${server} refuses the token: it is wrong or has expired\n  make another on its machine: ${ownCommand("token create")}`,
  );
}

/** Throws unless the server's certificate is of the cluster's authority. */
export async function checkServer(server: string, authority: string): Promise<void> {
  await askServer(new URL("/version", server), { authority });
}

/** Limit of the difference of two servers' clocks (ms): certificates and tokens are valid by them. */
const maxSkewMs = 60_000;

/** Throws if this machine's clock differs from that of a server: servers must agree on what has expired. */
export async function checkClock(server: string, authority: string, now: number): Promise<void> {
  const { nowMs } = await askServer(new URL("/version", server), { authority });
  const skewMs = now - nowMs;
  if (!(Math.abs(skewMs) > maxSkewMs)) return;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  throw new CommandFailure(
    `the clock of this machine is ${seconds} s ${skewMs > 0 ? "ahead of" : "behind"} that of ${server}: set both by NTP, then run this again`,
  );
}
