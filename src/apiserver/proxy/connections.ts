import type { Clock } from "#/std/time/clock.ts";
import type { TlsClientOptions } from "#/std/tls/connect-tls.ts";
import type { Dial } from "../egress/egress.ts";
import { CertificateFiles, type Identity } from "../outgoing/certificate-files.ts";
import type { KubeletAddress } from "../outgoing/kubelet-address.ts";
import { Transport } from "../outgoing/transport.ts";
import type { ClusterConnections } from "../registry/resource-request.ts";
import type { Store } from "../registry/store.ts";
import { findKubelet } from "./kubelet-connection.ts";

interface ConnectionOptions {
  /** Address types of nodes, the preferred one first (--kubelet-preferred-address-types). */
  readonly addressTypes?: readonly string[];
  /**
   * The API server's client certificate for kubelets (--kubelet-client-certificate, --kubelet-client-key), and the
   * authorities of theirs (--kubelet-certificate-authority): without those, any is trusted.
   */
  readonly identity?: () => Identity;
  /** Makes all connections; default is direct ones (--egress-selector-config-file). */
  readonly dial?: Dial | undefined;
  /** Limit of a stream's rate, each way (--max-connection-bytes-per-sec); default is none. */
  readonly bytesPerSecond?: number;
}

const defaultAddressTypes = [
  "Hostname",
  "InternalDNS",
  "InternalIP",
  "ExternalDNS",
  "ExternalIP",
] as const;

const anonymous = (): Identity => ({});

/** Connections into the cluster, as the options describe. */
export class Connections implements ClusterConnections, Disposable {
  /** To kubelets. */
  readonly kubelet: Transport;
  /** To kubelets, without verification of their certificates. */
  readonly insecureKubelet: Transport;
  /** To Pods, Services and other ports of nodes: their certificates are not verified. */
  readonly backend: Transport;
  readonly #addressTypes: readonly string[];

  constructor(options: ConnectionOptions = {}) {
    const { identity = anonymous, addressTypes = defaultAddressTypes, dial } = options;
    const open = (tls: () => TlsClientOptions) => new Transport(tls, dial, options.bytesPerSecond);
    this.kubelet = open(() => {
      const own = identity();
      return { ...own, rejectUnauthorized: own.trust !== undefined };
    });
    this.insecureKubelet = open(() => ({ ...identity(), rejectUnauthorized: false }));
    this.backend = open(() => ({ rejectUnauthorized: false }));
    this.#addressTypes = addressTypes;
  }

  /** Address of a node's kubelet; throws 404 if there is no such node. */
  findKubelet(nodes: Store, name: string): Promise<KubeletAddress> {
    return findKubelet(nodes, name, this.#addressTypes);
  }

  [Symbol.dispose](): void {
    for (const transport of [this.kubelet, this.insecureKubelet, this.backend]) {
      transport[Symbol.dispose]();
    }
  }
}

/** The flags of connections to kubelets. */
interface KubeletFlags {
  readonly "kubelet-certificate-authority": string;
  readonly "kubelet-client-certificate": string;
  readonly "kubelet-client-key": string;
  readonly "kubelet-preferred-address-types": readonly string[];
  readonly "max-connection-bytes-per-sec": number;
}

/** Opens the connections with the flags' settings. */
export function openConnections(
  flags: KubeletFlags,
  clock: Clock,
  { dial, files }: { readonly dial: Dial | undefined; readonly files: DisposableStack },
): Connections {
  const paths = {
    cert: flags["kubelet-client-certificate"],
    key: flags["kubelet-client-key"],
    trust: flags["kubelet-certificate-authority"],
  };
  const own = files.use(new CertificateFiles(paths, clock));
  const addressTypes = flags["kubelet-preferred-address-types"];
  const bytesPerSecond = flags["max-connection-bytes-per-sec"];
  return new Connections({ addressTypes, identity: () => own.current, dial, bytesPerSecond });
}
