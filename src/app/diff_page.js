for (const line of document.querySelectorAll("li[data-to]")) {
  const marks = line.dataset.to.split(" ").filter(Boolean).map((id) => document.getElementById(id)).filter(Boolean);
  const show = (on) => marks.forEach((mark) => mark.classList.toggle("shown", on));
  const go = () => marks[0]?.scrollIntoView({ block: "center", behavior: "smooth" });
  line.addEventListener("mouseenter", () => show(true));
  line.addEventListener("mouseleave", () => show(false));
  line.addEventListener("focus", () => show(true));
  line.addEventListener("blur", () => show(false));
  line.addEventListener("click", go);
  line.addEventListener("keydown", (event) => event.key === "Enter" && go());
}
