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
  /** Whether the command line names it. */
  readonly explicit: boolean;
}

/** The cluster that a command line means. Nothing is opened before it is needed. */
export interface ClusterAccess {
  namespace(): Promise<ChosenNamespace>;
  /** The kubeconfig files, merged and one by one. */
  kubeconfig(): Promise<LoadedKubeconfig>;
  /** The cluster and user that flags and kubeconfig mean. */
  selected(): Promise<SelectedContext>;
  transport(): Promise<Transport>;
  /** Reads and writes objects: of built-in handles, and of mappings that discovery gives. */
  client(): Promise<Client>;
  discovery(): Promise<Discovery>;
  mapper(): Promise<RestMapper>;
  /** The schemas that the server publishes. */
  openApi(): Promise<OpenApiDocuments>;
  /** Prints a warning of the server or the mapper, once. */
  warn(text: string): void;
  /** Objects come from the standard input: programs that provide credentials must leave it alone. */
  takeStdin(): void;
}
