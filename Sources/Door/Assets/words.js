// What the door's short names mean, in words. What has no words here is shown as it is.

const reasons = {
  completed: "it is done",
  deleted: "it was deleted",
  not_entitled: "the free plan has room for three, and others were made before it",
  muted: "it is muted",
  snoozed: "it is snoozed",
  outside_window: "it may not speak at this time of the week",
  outside_dates: "its days have not begun",
  not_inside: "you are not where it asks you to be",
  not_outside: "you are where it asks you not to be",
  signal_level: "the phone is not in the state that it asks for",
  not_long_enough: "what it asks for has not lasted long enough",
  fired: "it was to speak once, and has",
  expired: "its days are over",
  nag: "it was told, and is told again if it is not answered",
  already_said: "it was told before, and you have not been away since",
  quiet_hours: "these are quiet hours",
  focus: "a focus is on",
  cooldown_reminder: "it came a short while before",
  cooldown_overall: "another one came a short while before",
  cooldown_dense: "another one came before, and places crowd here",
  handed_over_late: "its positions came late, and newer ones are looked at first",
  superseded: "a nearer step speaks instead",
  stale: "it was no longer true, or no news any more, when its time came",
  exit: "nobody asked to be told of leaving"
};

/// Why, in words: these pages' own, which speak to the person; else the door's.
export const why = (name, text) => reasons[name] ?? text ?? String(name ?? "").replaceAll("_", " ");

/// What a notification is about, above its words.
const kinds = {
  approach: "On the way", arrival: "Arriving", post_arrival: "Still there", scheduled: "It is time", leave: "Leaving",
  signal: "Now", summary: "Summary"
};

export const kindOf = (name) => kinds[name] ?? String(name ?? "").replaceAll("_", " ");

/// How a phone reports, in words.
const modes = {
  quiet: "quiet: it reports nothing by itself. In the app, choose “Significant” or “Move”",
  manual: "manual: it reports only when you press. In the app, choose “Significant”",
  significant: "significant: it sleeps, and wakes at the places that matter",
  move: "move: it reports all the time, which costs battery"
};

export const modeOf = (name) => modes[name] ?? name;

/// The five categories of places, each with a reminder to begin with, by language.
export const categories = [
  { name: "pharmacy", words: "Pharmacies", starters: { en: "pick up the prescription near a pharmacy", de: "Rezept abholen in der Nähe einer Apotheke" } },
  { name: "groceries", words: "Groceries", starters: { en: "buy milk when I'm near a grocery", de: "Milch kaufen in der Nähe eines Supermarkts" } },
  { name: "gas_station", words: "Gas stations", starters: { en: "fill up near a gas station", de: "tanken an der Tankstelle" } },
  { name: "bank", words: "Banks", starters: { en: "get cash near a bank", de: "Bargeld holen bei der Bank" } },
  { name: "post_office", words: "Post offices", starters: { en: "send the parcel near a post office", de: "Paket aufgeben bei der Post" } }
];

/// Sentences to learn from, by language; the first is in the field's hint.
export const examples = {
  en: [
    "buy milk when I'm near a grocery after 5 on weekdays", "water the plants every Tuesday at 3 pm",
    "return the book when I'm near the library", "call mum when I get home, after 6 pm", "take the pills every day at 8, nag me"
  ],
  de: [
    "Milch kaufen in der Nähe eines Supermarkts nach 17 Uhr werktags", "Blumen gießen jeden Dienstag um 15 Uhr",
    "Rezept in der Apotheke abholen", "Mama anrufen, wenn ich nach Hause komme, nach 18 Uhr", "Tabletten nehmen jeden Tag um 8 Uhr, nerv mich"
  ]
};

/// What a locale has, or English.
export const inLanguage = (byLanguage, locale) => byLanguage[(locale ?? "en").split("-")[0]] ?? byLanguage.en;

/// How a locale is called, and by what its numbers of dates differ from the others'.
const localeWords = {
  "en-US": "English (3/4 is March 4)", "en-GB": "English (3/4 is 3 April)", de: "Deutsch"
};

export const localeOf = (locale) => localeWords[locale] ?? new Intl.DisplayNames("en", { type: "language" }).of(locale);

/// Where English writes the month first; elsewhere the day is.
const MONTH_FIRST = new Set(["en", "en-US", "en-CA", "en-PH"]);

/// The one of the door's languages that is meant by a browser's; null where it has none.
export function localeFor(language, locales) {
  if (locales.includes(language)) return language;
  const [name] = language.split("-");
  if (name === "en") return locales.find((one) => one === (MONTH_FIRST.has(language) ? "en-US" : "en-GB")) ?? null;
  return locales.find((one) => one.split("-")[0] === name) ?? null;
}

/// Why something of a phone was not used, and what to do about it where something can be done.
const refusals = {
  encrypted: "it is encrypted, and the door has no key; turn encryption off in the app, https protects it",
  unknown_type: "a kind of message that is not known",
  other_message: "a message that says nothing about the way; harmless",
  bad_json: "broken JSON; look whether another program posts with this phone's password",
  too_long: "longer than an app sends; look whether another program posts with this phone's password",
  too_many: "more at once than is taken; let the app send less at a time",
  empty: "nothing was in it; harmless",
  friend_deleted: "a friend was deleted in the app; harmless",
  no_position: "no position in it; look whether the app may use the location",
  bad_coordinate: "a position off the globe",
  invalid_fix: "the app itself says that the position is not valid",
  no_time: "no time in it",
  bad_time: "a time that cannot be right; set the phone's clock by the network",
  ping: "“still here”, with a position sent before; harmless",
  heartbeat: "a sign of life; harmless",
  invented_fix: "a position that the app made up; harmless",
  action: "something the app did, with an earlier position; harmless",
  trip: "a trip as a whole; its positions came one by one",
  current: "a position that came in the list as well; harmless",
  no_geometry: "an entry without a position",
  push_token: "meant for another server; harmless",
  bad_signal: "a signal without a name, or too long; look at the automation that sends it",
  bad_crossing: "a crossing without a time or a direction",
  bad_credential: "somebody knew its name and not its password; where it was this phone, renew the password and set it again",
  too_large: "longer than the door reads; let the app send less at a time",
  repeated: "sent twice, as the answer had been lost; harmless",
  not_leading: "another phone of yours leads; this one is counted and tells nothing",
  future: "later than the door's clock; set the phone's clock by the network",
  late: "older than what had come before; harmless where the app sends what it had kept",
  duplicate_time: "of the same instant as the one before; harmless",
  unconfirmed_jump: "too far from the one before, and no other has borne it out; harmless",
  invalid_accuracy: "the phone itself does not know how exact it is",
  bad_number: "a number of it cannot be read"
};

export const refusal = (name) => refusals[name] ?? String(name).replaceAll("_", " ");

/// The answers the engine takes besides "done" and "mute".
export const snoozes = [
  { label: "15 minutes", body: { action: "snooze", for_s: 900 } },
  { label: "1 hour", body: { action: "snooze", for_s: 3600 } },
  { label: "Not today", body: { action: "snooze", until: "today" } },
  { label: "Next arrival", body: { action: "snooze", until: "next-arrival" } }
];
