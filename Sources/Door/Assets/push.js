// Notifications of this browser: asked for only on a press, after it was said what for.
import * as api from "./api.js";
import { owner } from "./person.js";

export const isPossible = () => "Notification" in window && "serviceWorker" in navigator;
export const isOn = () => isPossible() && Notification.permission === "granted" && localStorage.getItem("push") === "on";

/// How things stand, in a sentence.
export function standing() {
  if (!isPossible()) {
    return "This browser cannot notify from here. On an iPhone, add Near Me to the home screen first, and open it from there; elsewhere it needs an https address.";
  }
  if (Notification.permission === "denied") return "The browser was told never to show notifications of this site; its settings can change that.";
  return isOn() ? "Notifications are on here." : "Notifications are off here.";
}

const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

/// So long is the browser's push service waited for: where no network leads to it, some browsers try for minutes.
const PATIENCE_MS = 20_000;

/// Asks the browser whether this site may notify.
export const ask = async () => isPossible() && await Notification.requestPermission() === "granted";

/// Asks the browser, subscribes, and gives the subscription to the door; answers with how it went.
export async function turnOn() {
  if (!await ask()) return standing();
  try {
    const { public_key } = await api.read("/push");
    const registration = await navigator.serviceWorker.ready;
    const subscription = await Promise.race([
      registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(public_key) }),
      new Promise((_, refuse) => { setTimeout(() => refuse(new Error("the push service is silent")), PATIENCE_MS); })
    ]);
    await api.change("POST", "/push", subscription.toJSON());
    localStorage.setItem("push", "on");
    return standing();
  } catch (refusal) {
    if (refusal.status === 404) return "This Near Me sends no notifications to browsers; it shows them on its pages, and in the ways that are set in Settings.";
    return refusal instanceof api.Refusal ? refusal.message : "The browser's push service was not reached. Try again later.";
  }
}

/// What is kept here belongs to who is signed in.
const isTheirs = () => api.person() !== undefined && api.person() === owner();

/// Gives the door the subscription that is there, by the session of now: it drops those of sessions that end. Where there
/// is none any more, notifications are off here. Nothing is said of how it went.
export async function registerAgain() {
  try {
    if (!isOn() || !isTheirs()) return;
    const registration = await navigator.serviceWorker.getRegistration();
    const subscription = await registration?.pushManager?.getSubscription();
    // Another person may have come in meanwhile, on another page.
    if (!isTheirs()) return;
    if (!subscription) {
      localStorage.removeItem("push");
      return;
    }
    // Who has taken the browsers off their channels would have them there again.
    const { channels } = await api.read("/settings");
    if (!isOn() || !isTheirs() || !channels?.some(({ type }) => type === "web_push")) return;
    await api.change("POST", "/push", subscription.toJSON());
  } catch { /* The next load tries again; a door without pushes answers 404. */ }
}

let again = null;

/// The same once for each load of the page, from when it is known who is signed in.
export function registerOnce() {
  if (api.person() !== undefined) again ??= registerAgain();
  return again ?? Promise.resolve();
}

export async function turnOff() {
  if (!isPossible()) return;
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager?.getSubscription();
  // Where the door is not reached, its next push finds that the subscription is no more.
  if (subscription) await api.change("DELETE", "/push", { endpoint: subscription.endpoint }).catch(() => {});
  await subscription?.unsubscribe();
  localStorage.removeItem("push");
}

/// Shows what a notification looks like, as the device shows it; answers with how it went.
export async function preview() {
  if (!isPossible() || Notification.permission !== "granted") return "This is shown once notifications are allowed here.";
  const registration = await navigator.serviceWorker.ready;
  await registration.showNotification("Arriving at the pharmacy — pick up the prescription now?", {
    body: "An example.", tag: "nearme-example", icon: "/icon-192.png", data: { isExample: true }
  });
  return "There it is.";
}
