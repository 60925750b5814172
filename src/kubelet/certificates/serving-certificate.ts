/** Upstream: pkg/kubelet/certificate/kubelet.go. */
import { readFile } from "node:fs/promises";
import type { Client } from "#/client/client.ts";
import {
  openServingCertificate,
  type ServingCertificate,
} from "#/component/serving-certificate.ts";
import { type Random, systemRandom } from "#/std/base/random.ts";
import { logger } from "#/std/log/log.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import type { Clock } from "#/std/time/clock.ts";
import { namesAndAddresses } from "#/std/x509/issue-certificate.ts";
import { generateKey, keyPem } from "#/std/x509/signing-key.ts";
import { CertificateStore } from "./certificate-store.ts";
import { requestCertificate } from "./request-certificate.ts";

interface ServingRotationOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly certificateDirectory: string;
  readonly nodeName: string;
  readonly ips: readonly string[];
  readonly random?: Random;
}

const log = logger("kubelet");
/** Short at first: the kubelet may start before the API server. */
const retry = { baseMs: 200, maxMs: 10_000, jitter: 0.2 };

/** The certificate of the kubelet's server, requested from the cluster and renewed in time (`serverTLSBootstrap`). */
export class RotatingServingCertificate implements ServingCertificate {
  readonly #options: ServingRotationOptions;
  readonly #store: CertificateStore;
  readonly #listeners: (() => void)[] = [];
  /** The kubelet's own certificate, until the cluster has signed one. */
  #current: ServingCertificate["current"];

  constructor(options: ServingRotationOptions) {
    this.#options = options;
    this.#store = new CertificateStore(options.certificateDirectory, "kubelet-server");
    this.#current = openServingCertificate({ certFile: "", keyFile: "" }, options.clock).current;
  }

  get current(): ServingCertificate["current"] {
    return this.#current;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  [Symbol.dispose](): void {
    this.#listeners.length = 0;
  }

  /** Requests certificates until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random = systemRandom } = this.#options;
    const backoff = exponentialBackoff({ ...retry, random });
    let failures = 0;
    let isOurs = false;
    while (!signal.aborted) {
      try {
        const validity = await this.#store.validity();
        if (validity && validity.toMs > clock.now()) {
          await this.#show();
          // One of an earlier run is replaced at once if the node's address has changed.
          isOurs ||= await this.#store.covers(this.#names);
          const { fromMs, toMs } = validity;
          const dueMs = fromMs + (toMs - fromMs) * (0.7 + 0.2 * random());
          if (isOurs) await this.#store.untilDue(dueMs, clock, signal);
        }
        await this.#request(signal);
        isOurs = true;
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures++;
        log.v(failures > 3 ? 0 : 2, "failed to request serving certificate", () => ({
          error: error instanceof Error ? error.message : String(error),
        }));
        await clock.sleep(backoff(failures), signal).catch(() => undefined);
      }
    }
  }

  get #names(): { dns: string[]; ips: string[] } {
    const { nodeName, ips } = this.#options;
    const { dns = [], ips: named = [] } = namesAndAddresses([nodeName]);
    return { dns: [...dns], ips: [...new Set([...named, ...ips])] };
  }

  async #request(signal: AbortSignal): Promise<void> {
    const { client, clock, nodeName } = this.#options;
    const key = generateKey();
    const parameters = {
      signerName: "kubernetes.io/kubelet-serving",
      usages: ["digital signature", "server auth"] as const,
      subject: { commonName: `system:node:${nodeName}`, organizations: ["system:nodes"] },
      names: this.#names,
      key,
    };
    const certificate = await requestCertificate(client, parameters, clock, signal);
    await this.#store.save(certificate, keyPem(key), clock.now());
    log.info("received serving certificate", { path: this.#store.path });
  }

  async #show(): Promise<void> {
    const pem = await readFile(this.#store.path);
    this.#current = { cert: pem, key: pem };
    for (const listener of this.#listeners) listener();
  }
}
