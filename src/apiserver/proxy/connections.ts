import { readFile } from "node:fs/promises";
import type { Store } from "../registry/store.ts";
import { findKubelet, type KubeletAddress } from "./kubelet-connection.ts";
import { Transport } from "./transport.ts";

export interface ConnectionOptions {
  /** Address types of nodes, the preferred one first (--kubelet-preferred-address-types). */
  readonly addressTypes?: readonly string[];
  /** What the API server shows to kubelets (--kubelet-client-certificate, --kubelet-client-key). */
  readonly kubeletCertificate?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  /** Who may vouch for kubelets (--kubelet-certificate-authority); absent to trust any. */
  readonly kubeletAuthority?: string | Buffer;
}

const defaultAddressTypes = [
  "Hostname",
  "InternalDNS",
  "InternalIP",
  "ExternalDNS",
  "ExternalIP",
] as const;

/** The ways from the API server into the cluster: to kubelets, and to pods and services. */
export class Connections implements Disposable {
  /** To kubelets. */
  readonly kubelet: Transport;
  /** To kubelets, whatever certificate they show. */
  readonly insecureKubelet: Transport;
  /** To pods, services and other ports of nodes: nobody vouches for their certificates. */
  readonly backend = new Transport({ rejectUnauthorized: false });
  readonly #addressTypes: readonly string[];

  constructor(options: ConnectionOptions = {}) {
    const { kubeletCertificate, kubeletAuthority } = options;
    const trust = kubeletAuthority ? { ca: kubeletAuthority } : { rejectUnauthorized: false };
    this.kubelet = new Transport({ ...kubeletCertificate, ...trust });
    this.insecureKubelet = new Transport({ ...kubeletCertificate, rejectUnauthorized: false });
    this.#addressTypes = options.addressTypes ?? defaultAddressTypes;
  }

  /** Where a node's kubelet is to be reached; not found if there is no such node. */
  findKubelet(nodes: Store, name: string): Promise<KubeletAddress> {
    return findKubelet(nodes, name, this.#addressTypes);
  }

  [Symbol.dispose](): void {
    for (const transport of [this.kubelet, this.insecureKubelet, this.backend]) {
      transport[Symbol.dispose]();
    }
  }
}

/** The flags that say how kubelets are reached. */
export interface KubeletFlags {
  readonly "kubelet-certificate-authority": string;
  readonly "kubelet-client-certificate": string;
  readonly "kubelet-client-key": string;
  readonly "kubelet-preferred-address-types": readonly string[];
}

/** Reads the certificates that the flags name. */
export async function openConnections(flags: KubeletFlags): Promise<Connections> {
  const read = (file: string) => (file === "" ? undefined : readFile(file));
  const [cert, key, authority] = await Promise.all([
    read(flags["kubelet-client-certificate"]),
    read(flags["kubelet-client-key"]),
    read(flags["kubelet-certificate-authority"]),
  ]);
  return new Connections({
    addressTypes: flags["kubelet-preferred-address-types"],
    ...(cert && key ? { kubeletCertificate: { cert, key } } : {}),
    ...(authority ? { kubeletAuthority: authority } : {}),
  });
}
