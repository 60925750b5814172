/** The etcd of a cluster's servers; a cluster without has the embedded store. */
export interface EtcdSettings {
  /** Addresses of an etcd that the user runs; undefined if each server runs a member of its own. */
  readonly servers?: readonly string[] | undefined;
  /** Files for the user's etcd: its authority, and a client certificate with its key. */
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** The program of the own member; undefined if it is found in $PATH. */
  readonly binary?: string | undefined;
  /** The members that were there when this server joined, NAME=URL each; undefined for the first one. */
  readonly joined?: readonly string[] | undefined;
  /** True until the own member votes. */
  readonly isJoining?: boolean | undefined;
}

/** The ports of a member: that of clients, and that of the other members. */
export const etcdClientPort = 2379;
export const etcdPeerPort = 2380;

/** Whether a server runs a member of its own. */
export const hasOwnMember = ({ etcd }: { readonly etcd?: EtcdSettings | undefined }): boolean =>
  etcd !== undefined && etcd.servers === undefined;
