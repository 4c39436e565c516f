// The service worker: the shell is kept, data comes from the door first and from the last answer otherwise,
// pushes are shown, and presses on their buttons are posted.
const SHELL = "nearme-shell-2";
const DATA = "nearme-data-1";
const FILES = [
  "/", "/app.css", "/app.js", "/answers.js", "/api.js", "/channels.js", "/daily-mail.js", "/decisions.js", "/dom.js", "/map.js", "/person.js", "/picker.js", "/push.js", "/qr.js",
  "/queue.js", "/swipe.js", "/words.js", "/view-add.js", "/view-day.js", "/view-list.js", "/view-phones.js", "/view-places.js",
  "/view-settings.js", "/view-today.js", "/view-welcome.js", "/manifest.webmanifest", "/icon.svg", "/icon-192.png"
];

/// What may be kept of the data: lists that a person looks at. No session, no settings, no tokens, no export.
const KEPT = /^\/api\/v1\/(daily-mail|reminders|places|notifications|decisions|day|phones|regions)(\/[^/]+)?$/;

/// So long is the door waited for before the last answer is shown.
const PATIENCE_MS = 4000;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(SHELL)
    .then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" }))))
    .then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name !== SHELL && name !== DATA) await caches.delete(name);
    await self.clients.claim();
  })());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (KEPT.test(url.pathname)) event.respondWith(dataOf(request));
  else if (url.pathname === "/" || FILES.includes(url.pathname)) event.respondWith(shellOf(request, url));
});

/// What a page that is closed gives to be sent; where it does not arrive, it is sent with the rest.
self.addEventListener("message", (event) => {
  if (event.data?.send) event.waitUntil(fetch(...event.data.send).catch(() => {}));
});

/// The shell's newest file where the door answers soon, else the one that was kept.
async function shellOf(request, url) {
  const cache = await caches.open(SHELL);
  const fresh = fetch(request).then((answer) => {
    if (answer.ok) cache.put(url.pathname, answer.clone());
    return answer;
  });
  const kept = await cache.match(url.pathname);
  if (!kept) return fresh;
  return first(fresh, kept);
}

async function dataOf(request) {
  const cache = await caches.open(DATA);
  const fresh = fetch(request).then(async (answer) => {
    if (answer.ok) await cache.put(request.url, answer.clone());
    // Who was signed out sees nothing of before.
    if (answer.status === 401) await caches.delete(DATA);
    return answer;
  });
  const kept = await cache.match(request.url);
  if (!kept) return fresh;
  const headers = new Headers(kept.headers);
  headers.set("X-From-Cache", "1");
  return first(fresh, new Response(kept.body, { status: kept.status, headers }));
}

/// What comes from the door in time, unless it fails; else what was kept.
async function first(fresh, kept) {
  const patience = new Promise((resolve) => { setTimeout(() => resolve(kept), PATIENCE_MS); });
  const failing = fresh.then((answer) => answer.status >= 500 ? kept : answer, () => kept);
  return Promise.race([failing, patience]);
}

/// The declarative form of a push: what newer Safari shows by itself, others show here.
self.addEventListener("push", (event) => {
  let body = {};
  try { body = event.data?.json() ?? {}; } catch { /* Something must be shown for each push. */ }
  const news = body.notification ?? {};
  const buttons = (body.nearme?.buttons ?? []).map(({ action, label, url }) => ({ action, title: label, url }));
  const actions = buttons.slice(0, self.Notification?.maxActions ?? 2);
  event.waitUntil(Promise.all([
    self.registration.showNotification(news.title ?? "Near Me", {
      body: news.body ?? "", tag: news.tag ?? body.tag, lang: news.lang, dir: news.dir, silent: news.silent,
      renotify: Boolean(news.renotify && (news.tag ?? body.tag)), icon: "/icon-192.png",
      actions: actions.map(({ action, title }) => ({ action, title })),
      data: { navigate: news.navigate ?? "/#today", actions: buttons, ...news.data }
    }),
    tellPages({ name: body.nearme?.event === "withdrawn" ? "withdrawn" : "news", text: news.title })
  ]));
});

async function tellPages(message) {
  for (const client of await self.clients.matchAll({ type: "window" })) client.postMessage(message);
}

self.addEventListener("notificationclick", (event) => {
  const { notification, action } = event;
  notification.close();
  const chosen = (notification.data?.actions ?? []).find((candidate) => candidate.action === action);
  const target = safe(notification.data?.navigate);
  event.waitUntil(chosen?.url ? press(chosen, target) : open(target));
});

/// Only addresses of this door: a push shall not lead elsewhere.
function safe(address) {
  try {
    const url = new URL(address ?? "/#today", self.location.origin);
    return url.origin === self.location.origin ? url.href : `${self.location.origin}/#today`;
  } catch {
    return `${self.location.origin}/#today`;
  }
}

/// An answer by a one-use token: it needs no session. Where it does not arrive, its page is opened.
async function press(chosen, target) {
  const url = new URL(chosen.url, self.location.origin);
  try {
    if (url.origin !== self.location.origin) throw new Error("another origin");
    const answer = await fetch(url, { method: "POST", credentials: "omit" });
    if (!answer.ok) throw new Error(`answered ${answer.status}`);
    await tellPages({ name: "edit" });
  } catch {
    await open(target);
  }
}

async function open(address) {
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find((client) => new URL(client.url).origin === self.location.origin);
  if (page && "navigate" in page) {
    await page.navigate(address).catch(() => {});
    return page.focus();
  }
  return self.clients.openWindow(address);
}
