import { loadKubeconfig } from "#/client/kubeconfig/kubeconfig-files.ts";
import { selectContext } from "#/client/kubeconfig/select-context.ts";
import { transportTo } from "#/client/kubeconfig/transport-for.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { type ConsoleServer, openConsoleServer } from "./proxy/console-server.ts";

interface ConsoleOptions {
  /** A file, or "" for those of the environment. */
  readonly kubeconfig: string;
  /** A context of it, or "" for the current one. */
  readonly context: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** A console for the cluster of a context. */
export interface OpenedConsole extends AsyncDisposable {
  readonly server: ConsoleServer;
  /** Name of the context. */
  readonly context: string;
}

/** Opens the console of a kubeconfig's context on a port of this machine. */
export async function openConsole(options: ConsoleOptions): Promise<OpenedConsole> {
  const { config } = await loadKubeconfig(options.kubeconfig);
  const selected = selectContext(config, { context: options.context });
  await using opening = new AsyncDisposableStack();
  const transport = opening.use(transportTo(selected, { userAgent: userAgent("k8ts-console") }));
  const { name, namespace } = selected;
  const server = opening.use(
    await openConsoleServer(transport, { port: options.port, context: name, namespace }),
  );
  const stack = opening.move();
  return {
    server,
    context: name,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
