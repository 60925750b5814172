import { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClusterPaths } from "../base/paths.ts";

/** A certificate of this machine. */
export interface FoundCertificate {
  /** Below the cluster's folder. */
  readonly file: string;
  readonly subject: string;
  readonly issuer: string;
  readonly expiresMs: number;
  readonly renewal: Renewal;
}

/** What renews a certificate. */
export type Renewal = "server" | "kubelet" | "nothing";

/** All certificates in a cluster's folder, the one that expires first at the top. */
export async function listCertificates(paths: ClusterPaths): Promise<FoundCertificate[]> {
  const found = [
    ...(await certificatesIn(paths, "pki", ".crt", "server")),
    // The kubelet keeps each as a file and links the present one.
    ...(await certificatesIn(paths, "kubelet/pki", "-current.pem", "kubelet")),
  ];
  return found.sort((a, b) => a.expiresMs - b.expiresMs || (a.file < b.file ? -1 : 1));
}

async function certificatesIn(
  paths: ClusterPaths,
  folder: string,
  ending: string,
  renewal: Renewal,
): Promise<FoundCertificate[]> {
  const whole = join(paths.folder, folder);
  if (!existsSync(whole)) return [];
  const all = await readdir(whole, { recursive: true });
  const names = all.filter((name) => name.endsWith(ending));
  const lists = await Promise.all(
    names.map(async (name) => {
      const texts = pemCertificates(await readFile(join(whole, name), "utf8"));
      return texts.map((text) => describe(text, `${folder}/${name}`, renewal));
    }),
  );
  return lists.flat();
}

const pemCertificates = (text: string): string[] =>
  text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];

function describe(text: string, file: string, renewal: Renewal): FoundCertificate {
  const certificate = new X509Certificate(text);
  return {
    file,
    subject: nameText(certificate.subject),
    issuer: nameText(certificate.issuer),
    expiresMs: certificate.validToDate.getTime(),
    renewal: certificate.ca ? "nothing" : renewal,
  };
}

/** The common name, with the groups of a user. */
function nameText(name: string): string {
  const fields = name.split("\n").map((line) => line.split(/=(.*)/s));
  const of = (key: string): string[] =>
    fields.filter(([field]) => field === key).map(([, value = ""]) => value);
  const groups = of("O").length > 0 ? ` (${of("O").join(", ")})` : "";
  return `${of("CN").join(", ")}${groups}`;
}
