/** Upstream: pkg/kubelet/clustertrustbundle/clustertrustbundle_manager.go. */
import { type ClusterTrustBundle, clusterTrustBundles } from "#/api/certificates/v1.ts";
import type { ClusterTrustBundleProjection } from "#/api/core/v1.ts";
import type { Informer } from "#/client/informers/informer.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { notFound } from "#/machinery/meta/status-error.ts";
import type { Clock } from "#/std/time/clock.ts";
import { readPemBlocks, writePem } from "#/std/x509/pem.ts";
import { Listeners } from "../state/listeners.ts";
import { normalizeAnchors } from "./normalize-anchors.ts";

/** Limit of the wait for the first list of bundles (ms): the Pod tries again later. */
const syncMs = 3_000;

/** The cluster's trust bundles, read when a pod first needs one. */
export class TrustBundles {
  readonly #informers: Informers;
  readonly #clock: Clock;
  readonly #changes = new Listeners();
  #informer: Informer<ClusterTrustBundle> | undefined;

  constructor(informers: Informers, clock: Clock) {
    this.#informers = informers;
    this.#clock = clock;
  }

  /** The listener is called whenever a bundle has changed. */
  subscribe(listener: () => void): Disposable {
    return this.#changes.add(listener);
  }

  /** PEM of all anchors that a projection selects, each once. */
  async get(projection: ClusterTrustBundleProjection): Promise<string> {
    const informer = await this.#synced();
    const { name, signerName, optional = false } = projection;
    if (name !== undefined) {
      const found = informer.store.get(undefined, name);
      if (found !== undefined) return normalizeAnchors([found.spec.trustBundle]);
      if (optional) return "";
      const { message } = notFound(singular, name);
      throw new Error(`while getting ClusterTrustBundle: ${message}`);
    }
    if (signerName === undefined) {
      throw new Error("ClusterTrustBundle projection requires either name or signerName to be set");
    }
    const selector = compileLabelSelector(projection.labelSelector);
    const selected = informer.store
      .list()
      .filter(
        ({ spec, metadata }) =>
          spec.signerName === signerName && selector.matches(metadata.labels ?? {}),
      );
    if (selected.length === 0 && !optional) {
      throw new Error(
        "combination of signerName and labelSelector matched zero ClusterTrustBundles",
      );
    }
    return normalizeAnchors(selected.map(({ spec }) => spec.trustBundle));
  }

  async #synced(): Promise<Informer<ClusterTrustBundle>> {
    if (this.#informer === undefined) {
      this.#informer = this.#informers.informer(clusterTrustBundles);
      const changed = () => this.#changes.notify();
      this.#informer.subscribe({ added: changed, updated: changed, deleted: changed });
    }
    const informer = this.#informer;
    if (informer.hasSynced) return informer;
    const waiting = new AbortController();
    const late = this.#clock.sleep(syncMs, waiting.signal).catch(() => undefined);
    await Promise.race([informer.synced, late]);
    waiting.abort();
    if (!informer.hasSynced) throw new Error("ClusterTrustBundle informer has not yet synced");
    return informer;
  }
}

const singular = { group: "certificates.k8s.io", name: "clustertrustbundle" };

/** The certificates of a chain, without other text that the signer may have added. */
export function cleanChain(text: string): string {
  return readPemBlocks(text)
    .map(({ der }) => writePem("CERTIFICATE", der))
    .join("");
}
