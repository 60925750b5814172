/** Upstream: pkg/kubelet/podcertificate/podcertificatemanager.go. */
import { generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { type PodCertificateRequest, podCertificateRequests } from "#/api/certificates/v1.ts";
import { type Pod, type PodCertificateProjection, serviceAccounts } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import type { Informer } from "#/client/informers/informer.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import { createCertificateRequest } from "#/std/x509/create-request.ts";
import { sequence } from "#/std/x509/der-writer.ts";
import { keyPem } from "#/std/x509/signing-key.ts";
import { Listeners } from "../state/listeners.ts";
import type { PodEvents } from "../state/pod-events.ts";
import type { NodeAccess } from "../state/pod-services.ts";
import type { CredentialBundle } from "./projected-payload.ts";
import { cleanChain } from "./trust-bundles.ts";

interface PodCertificatesOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly node: Pick<NodeAccess, "name" | "node">;
  readonly events: PodEvents;
}

interface Issued {
  readonly bundle: CredentialBundle;
  readonly refreshAtMs: number;
}

interface Entry {
  readonly podUID: string;
  /** The request under way: for the first certificate, or the next. */
  pending: Promise<Issued> | undefined;
  issued: Issued | undefined;
  /** Set after a refusal: the signer is not asked again. */
  refused: Error | undefined;
}

/** Signers use only the key of the request. */
const emptySubject = sequence();

const log = logger("pod-certificates");
/** Limit of the wait for a signer in one try of setting up a volume (ms). The request stays open. */
const issueTimeoutMs = 10_000;
/** Limit of the wait for an answer to a request (ms): it may have been deleted, and is then created again. */
const abandonMs = 10 * 60_000;

/** Certificates of pods, requested from their signers and renewed at the time that the signer gives. */
export class PodCertificates {
  readonly #options: PodCertificatesOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #renewals = new Listeners<[podUID: string]>();
  #informer: Informer<PodCertificateRequest> | undefined;

  constructor(options: PodCertificatesOptions) {
    this.#options = options;
  }

  /** The listener is called when a certificate of a Pod has been renewed. */
  subscribe(listener: (podUID: string) => void): Disposable {
    return this.#renewals.add(listener);
  }

  async get(
    pod: Pod,
    volume: string,
    source: number,
    projection: PodCertificateProjection,
  ): Promise<CredentialBundle> {
    const podUID = pod.metadata.uid ?? "";
    const key = `${podUID}/${volume}/${source}`;
    const entry = this.#entries.get(key) ?? {
      podUID,
      pending: undefined,
      issued: undefined,
      refused: undefined,
    };
    this.#entries.set(key, entry);
    if (entry.refused) throw entry.refused;
    if (entry.issued === undefined) {
      entry.pending ??= this.#request(pod, projection, entry);
      return (await this.#withTimeout(entry.pending)).bundle;
    }
    if (this.#options.clock.now() >= entry.issued.refreshAtMs && entry.pending === undefined) {
      entry.pending = this.#request(pod, projection, entry);
      entry.pending.then(
        () => this.#renewals.notify(podUID),
        (error: unknown) => log.error(error, "failed to renew certificate", { podUID }),
      );
    }
    return entry.issued.bundle;
  }

  /** When the first certificate of a pod has to be renewed; undefined if it has none. */
  nextRefresh(podUID: string): number | undefined {
    const times = [...this.#entries.values()].flatMap((entry) =>
      entry.podUID === podUID && entry.issued ? [entry.issued.refreshAtMs] : [],
    );
    return times.length === 0 ? undefined : Math.min(...times);
  }

  forget(podUID: string): void {
    for (const [key, entry] of this.#entries) {
      if (entry.podUID === podUID) this.#entries.delete(key);
    }
  }

  async #withTimeout(pending: Promise<Issued>): Promise<Issued> {
    const waiting = new AbortController();
    const late = this.#options.clock.sleep(issueTimeoutMs, waiting.signal).then(
      () => Promise.reject(new Error("credential bundle is not issued yet")),
      () => new Promise<never>(() => undefined),
    );
    try {
      return await Promise.race([pending, late]);
    } finally {
      waiting.abort();
    }
  }

  async #request(pod: Pod, projection: PodCertificateProjection, entry: Entry): Promise<Issued> {
    try {
      const key = await generateKeyOf(projection.keyType);
      const created = await this.#create(pod, projection, key);
      const answered = await this.#answered(created);
      const { certificateChain = "", beginRefreshAt = "" } = answered.status ?? {};
      const issued = {
        bundle: { key: keyPem(key), certificates: cleanChain(certificateChain) },
        refreshAtMs: parseTime(beginRefreshAt),
      };
      entry.issued = issued;
      return issued;
    } catch (error) {
      if (error instanceof RefusedError) {
        entry.refused = error;
        const { condition: reason, eventMessage: message } = error;
        this.#options.events.record(pod, { type: "Warning", reason, message });
      }
      throw error;
    } finally {
      entry.pending = undefined;
    }
  }

  async #create(
    pod: Pod,
    projection: PodCertificateProjection,
    key: KeyObject,
  ): Promise<PodCertificateRequest> {
    const { client, node } = this.#options;
    const { name = "", namespace = "", uid = "" } = pod.metadata;
    const serviceAccountName = pod.spec.serviceAccountName || "default";
    const account = await client.get(serviceAccounts, { namespace, name: serviceAccountName });
    const request = createCertificateRequest({ subject: emptySubject, key });
    const der = request.replaceAll(/-----[^-]+-----|\s/g, "");
    const { signerName, maxExpirationSeconds, userAnnotations } = projection;
    return client.create(podCertificateRequests, {
      apiVersion: "certificates.k8s.io/v1",
      kind: "PodCertificateRequest",
      metadata: {
        namespace,
        generateName: "req-",
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid }],
      },
      spec: {
        signerName,
        podName: name,
        podUID: uid,
        serviceAccountName,
        serviceAccountUID: account.metadata.uid ?? "",
        nodeName: node.name,
        nodeUID: node.node().metadata.uid ?? "",
        stubPKCS10Request: der,
        ...(maxExpirationSeconds !== undefined && { maxExpirationSeconds }),
        ...(userAnnotations && { unverifiedUserAnnotations: userAnnotations }),
      },
    });
  }

  /** The request once its signer has answered; throws RefusedError if it was denied or has failed. */
  async #answered(created: PodCertificateRequest): Promise<PodCertificateRequest> {
    const { name = "", namespace = "" } = created.metadata;
    const { informers, node, clock } = this.#options;
    this.#informer ??= informers.informer(podCertificateRequests, {
      fieldSelector: `spec.nodeName=${node.name}`,
    });
    const informer = this.#informer;
    const answer = Promise.withResolvers<PodCertificateRequest>();
    const look = (request: PodCertificateRequest) => {
      if (request.metadata.name !== name || request.metadata.namespace !== namespace) return;
      const verdict = (request.status?.conditions ?? []).find(
        ({ type, status }) => status === "True" && ["Issued", "Denied", "Failed"].includes(type),
      );
      if (verdict?.type === "Issued") answer.resolve(request);
      else if (verdict) answer.reject(new RefusedError(request, verdict));
    };
    using _watching = informer.subscribe({ added: look, updated: (_old, now) => look(now) });
    using _timer = clock.setTimer(
      abandonMs,
      () =>
        answer.reject(
          new Error(`PodCertificateRequest ${goQuote(`${namespace}/${name}`)} got no answer`),
        ),
      { keepAlive: false },
    );
    return await answer.promise;
  }
}

/** The signer has refused the request. */
class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly condition: string;
  readonly eventMessage: string;

  constructor(
    { metadata }: PodCertificateRequest,
    { type, reason, message }: { type: string; reason: string; message: string },
  ) {
    const said = `reason=${goQuote(reason)} message=${goQuote(message)}`;
    super(`PodCertificateRequest was permanently ${type.toLowerCase()}: ${said}`);
    this.condition = type;
    const verb = type === "Denied" ? "was denied" : "failed";
    this.eventMessage = `PodCertificateRequest ${metadata.namespace}/${metadata.name} ${verb}, reason=${goQuote(reason)}, message=${goQuote(message)}`;
  }
}

const generate = promisify(generateKeyPair);

/** RSA keys take seconds: they are generated in another thread. */
async function generateKeyOf(type: string): Promise<KeyObject> {
  switch (type) {
    case "ED25519":
      return (await generate("ed25519")).privateKey;
    case "ECDSAP256":
    case "ECDSAP384":
    case "ECDSAP521":
      return (await generate("ec", { namedCurve: `P-${type.slice(-3)}` })).privateKey;
    case "RSA3072":
    case "RSA4096":
      return (await generate("rsa", { modulusLength: Number(type.slice(3)) })).privateKey;
    default:
      throw new Error(`while generating keypair: unknown key type ${goQuote(type)}`);
  }
}
