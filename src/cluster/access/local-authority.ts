import { readCertificate } from "#/std/x509/certificate.ts";
import { readPemBlocks } from "#/std/x509/pem.ts";
import { CommandFailure } from "../base/command-failure.ts";
import type { ClusterPaths } from "../base/paths.ts";
import { kubectl } from "./kubectl.ts";

const template = '-o=go-template={{index .data "tls.crt"}}';

/** The certificate of the gateway's authority for names of this machine, as PEM. */
export async function readLocalAuthority(paths: ClusterPaths): Promise<string> {
  const args = ["-n", "k8ts-gateway", "get", "secret", "local-authority", template];
  const { code, out, err } = await kubectl(paths, args);
  if (code !== 0 && err.includes("NotFound")) {
    throw new CommandFailure(
      "the cluster has no authority yet: it is made with the first Ingress or load balancer",
    );
  }
  if (code !== 0) throw new CommandFailure(`the authority can't be read: ${err.trim()}`);
  return Buffer.from(out, "base64").toString("latin1");
}

/** Throws unless an authority can certify names below localhost alone: another one would endanger all connections. */
export function checkLocalAuthority(pem: string): void {
  const blocks = readPemBlocks(pem);
  const [block] = blocks;
  const domains = block ? (readCertificate(block.der).permittedDomains ?? []) : [];
  const isLocal = domains.length > 0 && domains.every((name) => /(^|\.)localhost$/.test(name));
  if (isLocal && blocks.length === 1 && block?.type === "CERTIFICATE") return;
  throw new CommandFailure(
    "Secret k8ts-gateway/local-authority is not trusted: it could certify names of other machines; " +
      "delete it and restart the cluster to get another one",
  );
}
