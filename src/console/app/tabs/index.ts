import { eventsTab } from "./events.ts";
import { logsTab } from "./logs.ts";
import { overviewTab } from "./overview.ts";
import { relatedTab } from "./related.ts";
import type { Tab, TabSubject } from "./tab.ts";
import { yamlTab } from "./yaml.ts";

/** The tabs of an object, in order. To add one, write its file and list it here. */
const tabs: readonly Tab[] = [overviewTab, logsTab, eventsTab, yamlTab, relatedTab];

export const findTabs = (subject: TabSubject): readonly Tab[] =>
  tabs.filter(({ isFor }) => isFor(subject));
