import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { type OpenedConsole, openConsole } from "#/console/run.ts";
import {
  type KubectlServer,
  type RunApiServer,
  runOurs,
  startKubectlServer,
} from "../kubectl/start-server.ts";

/** A real API server in this process, consoles for its users, and a browser to open them. */
export interface TestConsole extends AsyncDisposable {
  readonly server: KubectlServer;
  readonly browser: Browser;
  /** Starts a console for a context of the kubeconfig: admin, or alice, whose namespace is "shop". */
  consoleFor(context: string): Promise<OpenedConsole["server"]>;
  /** Opens a console in a window with its own cookies. */
  openAs(context: string, options?: BrowserContextOptions): Promise<Page>;
  /** Creates an object as the administrator. */
  create(path: string, object: object): Promise<unknown>;
  /** Replaces the status of an object. */
  setStatus(path: string, status: object): Promise<void>;
}

/** Starts a browser: Debian's Chromium, without its sandbox, which root cannot use. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
  });
}

/** A server that records journeys and histories, as that of `k8ts up`. */
const runRecording: RunApiServer = (flags, folder) => runOurs([...flags, "--journey"], folder);

export async function startConsole(): Promise<TestConsole> {
  await using starting = new AsyncDisposableStack();
  const server = starting.use(await startKubectlServer(runRecording));
  const browser = starting.adopt(await startBrowser(), (one) => one.close());
  const stack = starting.move();
  const { client } = server;
  const kubeconfig = join(server.home, ".kube", "config");
  const consoleFor = async (context: string) =>
    stack.use(await openConsole({ kubeconfig, context, port: 0 })).server;
  return {
    server,
    browser,
    consoleFor,
    async openAs(context, options = {}) {
      const opened = await consoleFor(context);
      const window = await browser.newContext({ locale: "en-GB", ...options });
      const page = await window.newPage();
      await page.goto(opened.newLink());
      await untilStarted(page);
      return page;
    },
    async create(path, body) {
      return client.request({ method: "POST", path, body });
    },
    async setStatus(path, status) {
      const object = await client.request({ method: "GET", path });
      const changed = { ...(object as object), status };
      await client.request({ method: "PUT", path: `${path}/status`, body: changed });
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Waits until a page has started: what the server sends before is not the console yet. */
export function untilStarted(page: Page): Promise<void> {
  return page.locator("#app > .frame, #app > .login").waitFor({ timeout: 60_000 });
}
