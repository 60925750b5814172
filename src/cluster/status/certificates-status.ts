import { X509Certificate } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CertificatesStatus } from "./cluster-status.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** The certificate of a folder that expires first; null if there is none, or they are not readable. */
export function certificatesStatus(folder: string, now: number): CertificatesStatus | null {
  try {
    const found = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".crt"))
      .map((file) => ({ file, until: expiryOf(join(folder, file)) }));
    const [first] = found.sort((a, b) => a.until - b.until);
    if (!first) return null;
    const expires = new Date(first.until).toISOString().slice(0, 10);
    return { file: first.file, expires, days: Math.floor((first.until - now) / dayMs) };
  } catch {
    return null;
  }
}

const expiryOf = (path: string): number =>
  new X509Certificate(readFileSync(path)).validToDate.getTime();
