import { signal } from "@preact/signals";
import { h, type JSX } from "preact";
import { route } from "../base/navigation.ts";
import { namespace } from "../base/preferences.ts";
import { resources } from "../data/discovery.ts";
import { may } from "../data/permissions.ts";
import { type ApiResource, pluralTitle, resourceKey } from "../model/api-resource.ts";
import { kindSections, type SectionName } from "../model/kind-sections.ts";
import { formatRoute, listRoute } from "../model/route.ts";
import { t } from "../texts/texts.ts";
import { Icon, type IconName } from "./icon.ts";

/** Whether the menu covers the page, on a narrow screen. */
export const isMenuOpen = signal(false);

const sectionIcons: Readonly<Record<SectionName, IconName>> = {
  workloads: "workload",
  network: "network",
  config: "config",
  storage: "storage",
  access: "access",
  cluster: "cluster",
  custom: "custom",
};

const mayList = ({ group, resource }: ApiResource): boolean =>
  may({ verb: "list", group, resource }, namespace.value);

export function Sidebar(): JSX.Element {
  const [page = "now", key] = route.value.path;
  const link = (name: "now" | "map" | "learn" | "terminal", title: string) =>
    h(
      "a",
      {
        href: formatRoute([name]),
        class: "nav-link top",
        ...(page === name ? { "aria-current": "page" as const } : {}),
      },
      h(Icon, { name }),
      title,
    );
  return h(
    "nav",
    {
      class: isMenuOpen.value ? "sidebar open" : "sidebar",
      "aria-label": t().menu,
      onClick: ({ target }: MouseEvent) => {
        if ((target as Element).closest("a")) isMenuOpen.value = false;
      },
    },
    h(
      "a",
      { class: "brand", href: formatRoute(["now"]) },
      h("span", { class: "brand-mark", "aria-hidden": "true" }),
      "k8ts",
    ),
    link("now", t().now),
    link("map", t().map),
    link("learn", t().learn),
    link("terminal", t().terminal),
    kindSections(resources.value ?? [], mayList).map(({ section, kinds }) =>
      h(
        "div",
        { key: section, class: "nav-section" },
        h("h2", null, h(Icon, { name: sectionIcons[section] }), t()[section]),
        kinds.map((kind) => {
          const own = resourceKey(kind);
          const isHere = (page === "list" || page === "object") && key === own;
          return h(
            "a",
            {
              key: own,
              href: listRoute(own),
              class: "nav-link",
              ...(isHere ? { "aria-current": "page" as const } : {}),
            },
            pluralTitle(kind),
          );
        }),
      ),
    ),
    h(
      "a",
      {
        href: formatRoute(["kinds"]),
        class: "nav-link all",
        ...(page === "kinds" ? { "aria-current": "page" as const } : {}),
      },
      h(Icon, { name: "all" }),
      t().allKinds,
    ),
  );
}
