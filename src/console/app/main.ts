import { h, type JSX, render } from "preact";
import { useState } from "preact/hooks";
import { browserClock } from "./base/browser-clock.ts";
import { followUrl, route } from "./base/navigation.ts";
import { followTime } from "./base/now.ts";
import { keepPreferences } from "./base/preferences.ts";
import { followScreen } from "./base/screen.ts";
import { isConnected, loginFailure, user, viewedAs } from "./base/session.ts";
import { useWhileShown } from "./base/while-shown.ts";
import { getJson } from "./data/api.ts";
import { discover } from "./data/discovery.ts";
import { findAccess, logIn } from "./data/log-in.ts";
import { followNamespaces } from "./data/namespaces.ts";
import { KindsPage } from "./pages/kinds.ts";
import { ListPage } from "./pages/list.ts";
import { LoginPage } from "./pages/login.ts";
import { NowPage } from "./pages/now.ts";
import { KeyHelp } from "./parts/key-help.ts";
import { LazyPage } from "./parts/lazy-page.ts";
import { FailureNote } from "./parts/notes.ts";
import { Palette } from "./parts/palette.ts";
import { followShortcuts } from "./parts/shortcuts.ts";
import { isMenuOpen, Sidebar } from "./parts/sidebar.ts";
import { Toasts } from "./parts/toasts.ts";
import { Topbar } from "./parts/topbar.ts";
import { followLanguage, t } from "./texts/texts.ts";

/** The pages by the first word of the URL. Those that few need are loaded when they are opened. */
const pages: Readonly<Record<string, () => JSX.Element>> = {
  now: () => h(NowPage, {}),
  list: () => h(ListPage, {}),
  kinds: () => h(KindsPage, {}),
  map: () =>
    h(LazyPage, { name: "map", load: async () => (await import("./pages/map.ts")).MapPage }),
  learn: () =>
    h(LazyPage, { name: "learn", load: async () => (await import("./pages/learn.ts")).LearnPage }),
  terminal: () =>
    h(LazyPage, {
      name: "terminal",
      load: async () => (await import("./pages/terminal.ts")).TerminalPage,
    }),
  object: () =>
    h(LazyPage, {
      name: "object",
      load: async () => (await import("./pages/object.ts")).ObjectPage,
    }),
};

function Page(): JSX.Element {
  const name = route.value.path[0] ?? "now";
  return (Object.hasOwn(pages, name) ? pages[name] : pages["now"])?.() ?? h(NowPage, {});
}

/** The frame of all pages, once there is a user. */
function App(): JSX.Element {
  if (user.value === undefined) return h(LoginPage, { logIn });
  return h(Frame, { key: `${user.value.name} ${viewedAs.value?.group ?? ""}` });
}

function Frame(): JSX.Element {
  const [failure, setFailure] = useState<Error | undefined>(undefined);
  useWhileShown((signal) => {
    followNamespaces(signal);
    followShortcuts(signal);
    void discoverUntilFound(signal).catch(setFailure);
  }, []);
  return h(
    "div",
    { class: "frame" },
    h("a", { class: "skip", href: "#main", onClick: skipToMain }, t().skipToContent),
    h(Sidebar, {}),
    isMenuOpen.value
      ? h("button", { class: "curtain", "aria-label": t().close, onClick: closeMenu })
      : null,
    h(Topbar, {}),
    h("main", { id: "main", tabIndex: -1 }, failure ? h(FailureNote, { failure }) : h(Page, {})),
    h(Palette, {}),
    h(KeyHelp, {}),
    h(Toasts, {}),
  );
}

function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function closeMenu(): void {
  isMenuOpen.value = false;
}

/** The wait between two questions whether the server is back (ms). */
const retryMs = 1_000;

/** Learns the kinds of the server, and waits for it if it does not answer. */
async function discoverUntilFound(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await discover();
      return;
    } catch (error) {
      if (isConnected.peek()) throw error;
      await browserClock.wait(retryMs, signal);
    }
  }
}

/** Asks now and then whether a lost server is back, so that the page says so even if nothing else asks. */
function followConnection(): void {
  let isAsking = false;
  browserClock.every(retryMs, () => {
    if (isConnected.peek() || isAsking) return;
    isAsking = true;
    void getJson("/version")
      .catch(() => undefined)
      .finally(() => {
        isAsking = false;
      });
  });
}

/** The user may come back from an OpenID provider; what that needs is loaded then. */
async function endLogin(): Promise<void> {
  const { comeBackFromProvider } = await import("./data/oidc.ts");
  await comeBackFromProvider().catch(({ message }: Error) => {
    loginFailure.value = message;
  });
}

async function start(): Promise<void> {
  keepPreferences();
  followUrl();
  followTime();
  followScreen();
  followConnection();
  const root = document.getElementById("app");
  if (!root) return;
  const texts = followLanguage();
  await findAccess();
  if (location.search !== "") await endLogin();
  await Promise.all([texts, logIn().catch(() => false)]);
  root.replaceChildren();
  render(h(App, {}), root);
}

void start();
