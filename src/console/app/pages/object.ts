import { h, type JSX } from "preact";
import { onKeys } from "../base/keys.ts";
import { openPage, route } from "../base/navigation.ts";
import { useWhileShown } from "../base/while-shown.ts";
import { findResource, resources } from "../data/discovery.ts";
import { type ObjectId, useLiveObject } from "../data/live-object.ts";
import { may } from "../data/permissions.ts";
import { type ApiResource, pluralTitle, resourceKey } from "../model/api-resource.ts";
import { listRoute, objectRoute } from "../model/route.ts";
import { summaryOf } from "../model/summary.ts";
import { FailureNote, Note, Skeleton } from "../parts/notes.ts";
import { ObjectActions } from "../parts/object-actions.ts";
import { Status } from "../parts/status.ts";
import { findTabs } from "../tabs/index.ts";
import { t } from "../texts/texts.ts";

/** One object. */
export function ObjectPage(): JSX.Element {
  const [, key = "", namespace = "-", name = ""] = route.value.path;
  const resource = findResource(key);
  if (resources.value === undefined) return h(Skeleton, null);
  if (resource === undefined) return h(Note, { icon: "search", title: t().unknownKind, text: key });
  const id = { resource, namespace: namespace === "-" ? undefined : namespace, name };
  return h(OneObject, { key: `${key} ${namespace} ${name}`, id });
}

function OneObject({ id }: { readonly id: ObjectId }): JSX.Element {
  const { object, isGone, state, failure } = useLiveObject(id);
  const { resource, namespace, name } = id;
  const key = resourceKey(resource);
  const [, , , , chosen] = route.value.path;
  useWhileShown((signal) => {
    onKeys({ Escape: () => openPage(listRoute(key)) }, signal);
  }, []);
  if (state === "refused") return h(FailureNote, { failure });
  if (object === undefined) {
    return state === "loading"
      ? h(Skeleton, null)
      : h(Note, { icon: "search", title: t().notFoundTitle, text: `${key}/${name}` });
  }
  const tabs = findTabs({ object, id, may: (verb, of) => may({ verb, ...of }, namespace) });
  const tab = tabs.find((one) => one.name === chosen) ?? tabs[0];
  const summary = summaryOf(object);
  return h(
    "section",
    { class: "page object-page" },
    h(
      "header",
      { class: "page-head" },
      h(Crumbs, { resource, namespace }),
      h("h1", null, name),
      isGone ? h(Status, { text: t().deleted, tone: "bad" }) : summary ? h(Status, summary) : null,
      h("span", { class: "space" }),
      isGone ? null : h(ObjectActions, { id, object }),
    ),
    h(
      "div",
      { class: "tabs", role: "tablist", "aria-label": name, onKeyDown: moveBetweenTabs },
      tabs.map((one) =>
        h(
          "a",
          {
            key: one.name,
            id: `tab-${one.name}`,
            role: "tab",
            href: objectRoute(key, { namespace, name }, one.name),
            "aria-selected": one === tab,
            "aria-controls": "tab-content",
            tabIndex: one === tab ? 0 : -1,
          },
          one.title(),
        ),
      ),
    ),
    h(
      "div",
      {
        id: "tab-content",
        class: "tab-content",
        role: "tabpanel",
        "aria-labelledby": `tab-${tab?.name}`,
        tabIndex: 0,
      },
      tab ? h(tab.View, { key: tab.name, id, object, isGone }) : null,
    ),
  );
}

function moveBetweenTabs(event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  const all = Array.from(
    (event.currentTarget as Element).querySelectorAll<HTMLElement>("[role=tab]"),
  );
  const next =
    all[(all.indexOf(document.activeElement as HTMLElement) + step + all.length) % all.length];
  next?.focus();
  next?.click();
  event.preventDefault();
}

function Crumbs({
  resource,
  namespace,
}: {
  readonly resource: ApiResource;
  readonly namespace: string | undefined;
}): JSX.Element {
  const key = resourceKey(resource);
  return h(
    "nav",
    { class: "crumbs", "aria-label": t().breadcrumb },
    h("a", { href: listRoute(key) }, pluralTitle(resource)),
    namespace === undefined
      ? null
      : [
          h("span", { "aria-hidden": "true" }, "/"),
          h("a", { href: listRoute(key, { ns: namespace }) }, namespace),
        ],
    h("span", { "aria-hidden": "true" }, "/"),
  );
}
