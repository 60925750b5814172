import { h, type JSX } from "preact";
import { useEffect } from "preact/hooks";
import { namespace } from "../base/preferences.ts";
import { kubeconfigContext, user } from "../base/session.ts";
import { loadKubectl } from "../kubectl/load-kubectl.ts";
import { PageShell } from "../kubectl/page-shell.ts";
import { TerminalView } from "../parts/terminal-view.ts";
import { t } from "../texts/texts.ts";

/** The shell of the user, which goes on while other pages are shown, and what it was made for. */
let kept: { readonly user: string; readonly shell: PageShell } | undefined;

function shellOf(name: string): PageShell {
  if (kept?.user === name) return kept.shell;
  const { context = "console", namespace: selected } = kubeconfigContext.peek() ?? {};
  const loading = () => loadKubectl(context, namespace.peek() ?? selected);
  let kubectl: ReturnType<typeof loading> | undefined;
  const shell = new PageShell(() => {
    kubectl ??= loading().catch((error: unknown) => {
      kubectl = undefined;
      throw error;
    });
    return kubectl;
  });
  kept = { user: name, shell };
  return shell;
}

/** kubectl in the page: the same program as elsewhere, with the rights of the page. */
export function TerminalPage(): JSX.Element {
  const shell = shellOf(user.value?.name ?? "");
  useEffect(() => shell.load(), [shell]);
  return h(
    "section",
    { class: "page terminal-page" },
    h(
      "header",
      { class: "page-head" },
      h("h1", null, t().terminal),
      h("span", { class: "space" }),
      h("span", { class: "dim terminal-hint" }, t().terminalKeys),
    ),
    h(TerminalView, {
      shown: shell.shown,
      label: t().terminal,
      onResize: () => shell.resized(),
    }),
  );
}
