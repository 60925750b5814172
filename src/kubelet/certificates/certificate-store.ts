/** Upstream: k8s.io/client-go/util/certificate/certificate_store.go. */

import { X509Certificate } from "node:crypto";
import { existsSync, watch } from "node:fs";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "#/std/time/clock.ts";
import type { AlternativeNames } from "#/std/x509/issue-certificate.ts";

/** Certificates with their keys, by date; a link leads to the one in use. */
export class CertificateStore {
  readonly #directory: string;
  readonly #name: string;

  /** The name is `kubelet-client` or `kubelet-server`. */
  constructor(directory: string, name: string) {
    this.#directory = directory;
    this.#name = name;
  }

  get #asked(): string {
    return join(this.#directory, `${this.#name}-renew`);
  }

  /** Certificate and key in one file, which changes when they are renewed. */
  get path(): string {
    return join(this.#directory, `${this.#name}-current.pem`);
  }

  /** The validity of the certificate in use; undefined if there is none. */
  async validity(): Promise<{ fromMs: number; toMs: number } | undefined> {
    try {
      const certificate = new X509Certificate(await readFile(this.path));
      return {
        fromMs: certificate.validFromDate.getTime(),
        toMs: certificate.validToDate.getTime(),
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Whether the certificate in use is valid for all of these names and addresses. */
  async covers({ dns = [], ips = [] }: AlternativeNames): Promise<boolean> {
    const certificate = new X509Certificate(await readFile(this.path));
    return (
      dns.every((name) => certificate.checkHost(name)) &&
      ips.every((address) => certificate.checkIP(address))
    );
  }

  /**
   * Resolves at a time, or earlier if a renewal is asked for: by a file NAME-renew in the folder, which is written
   * when the authority of the cluster is replaced. Also of a file that was written while no kubelet ran.
   */
  async untilDue(dueMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => void (existsSync(this.#asked) && resolve());
    const watcher = watch(this.#directory, { persistent: false }, look);
    watcher.on("error", () => undefined);
    look();
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    try {
      await Promise.race([clock.sleep(Math.max(0, dueMs - clock.now()), either), promise]);
    } finally {
      watcher.close();
      stop.abort();
    }
  }

  /** Replaces the pair in use by a new one. */
  async save(certificatePem: string, keyPem: string, nowMs: number): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o755 });
    const date = new Date(nowMs).toISOString().replace(/[:.]/g, "-").replace("T", "-").slice(0, 19);
    const file = join(this.#directory, `${this.#name}-${date}.pem`);
    await writeFile(file, `${certificatePem.trimEnd()}\n${keyPem}`, { mode: 0o600 });
    const link = `${this.path}.new`;
    await rm(link, { force: true });
    await symlink(file, link);
    await rename(link, this.path);
    await rm(this.#asked, { force: true });
  }
}
