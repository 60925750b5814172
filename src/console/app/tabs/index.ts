import { eventsTab } from "./events.ts";
import { historyTab } from "./history.ts";
import { journeyTab } from "./journey.ts";
import { logsTab } from "./logs.ts";
import { overviewTab } from "./overview.ts";
import { relatedTab } from "./related.ts";
import { schedulingTab } from "./scheduling.ts";
import { shellTab } from "./shell.ts";
import type { Tab, TabSubject } from "./tab.ts";
import { whyTab } from "./why.ts";
import { yamlTab } from "./yaml.ts";

/** The tabs of an object, in order. To add one, write its file and list it here. */
const tabs: readonly Tab[] = [
  overviewTab,
  whyTab,
  journeyTab,
  logsTab,
  shellTab,
  eventsTab,
  schedulingTab,
  yamlTab,
  relatedTab,
  historyTab,
];

export const findTabs = (subject: TabSubject): readonly Tab[] =>
  tabs.filter(({ isFor }) => isFor(subject));
