import type * as anyConnection from "#/client/kubeconfig/connection-options.ts";
import type * as anyCommand from "#/client/streaming/remote-command.ts";
import type * as anyTransport from "#/client/transport/quick-transport.ts";
import * as connection from "./connection-options.ts";
import * as transport from "./page-transport.ts";
import * as command from "./remote-command.ts";

/** The modules that the page has in place of others, which have the same exports; see files/page-modules.ts. */
export const replacements = {
  connection: connection satisfies Record<Used<typeof anyConnection, "credentialsFor">, unknown>,
  command: command satisfies Record<
    Used<typeof anyCommand, "channelsOf" | "overSpdy" | "spdyProtocols">,
    unknown
  >,
  transport: transport satisfies Record<Used<typeof anyTransport>, unknown>,
};

/** What kubectl uses of a module. */
type Used<Module, Unused extends keyof Module = never> = Exclude<keyof Module, Unused>;
