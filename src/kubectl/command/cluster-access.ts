import type { Client } from "#/client/client.ts";
import type { LoadedKubeconfig } from "#/client/kubeconfig/kubeconfig-files.ts";
import type { SelectedContext } from "#/client/kubeconfig/select-context.ts";
import type { Transport } from "#/client/transport/transport.ts";
import type { Discovery } from "../discovery/discovery.ts";
import type { OpenApiDocuments } from "../discovery/open-api-documents.ts";
import type { RestMapper } from "../discovery/rest-mapper.ts";

/** The namespace of a command. */
export interface ChosenNamespace {
  readonly namespace: string;
  /** True if the command line names it. */
  readonly explicit: boolean;
}

/** The cluster of a command line. Connections are opened at first use. */
export interface ClusterAccess {
  namespace(): Promise<ChosenNamespace>;
  /** The kubeconfig files, merged and one by one. */
  kubeconfig(): Promise<LoadedKubeconfig>;
  /** The cluster and user that flags and kubeconfig select. */
  selected(): Promise<SelectedContext>;
  transport(): Promise<Transport>;
  /** Client for objects: of built-in handles, and of mappings from discovery. */
  client(): Promise<Client>;
  discovery(): Promise<Discovery>;
  mapper(): Promise<RestMapper>;
  /** The schemas that the server publishes. */
  openApi(): Promise<OpenApiDocuments>;
  /** Prints a warning of the server or the mapper, once. */
  warn(text: string): void;
  /** Call this if objects are read from standard input: credentials programs must not read it. */
  takeStdin(): void;
}
