# Everything that people and CI run. Warnings are errors here, and only here: see Package.swift.
export NEARME_STRICT = 1

nearme = .build/release/nearme
demo = .build/demo

.PHONY: deb check-guide check-packaging bench-serve check-hostile check-qr help docs test-distributed setup setup-browser check-pages check-door-pages check-phones bench-page day build dist test requirements additions embedding core-location counters lint format demo compare scores tune bench bench-cache bench-sentences check-recurrence fuzz samples golden clean

help: ## List these targets.
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*## /\t/' | expand -t 14

setup: ## Install the system libraries that are missing.
	@scripts/setup.sh

setup-browser: ## Install Chromium, and what drives it, for the checks of the pages.
	@scripts/setup-browser.sh

build: setup ## Build the release binary.
	@swift build -c release --product nearme

# What takes a minute comes first, the suite takes twenty. Each of the three compiles one module after the other, and
# leaves half of two cores idle.
test: setup ## Run every test.
	@$(MAKE) --no-print-directory -j2 core-location additions embedding
	swift build -c release --build-tests
	swift test -c release --skip-build
	scripts/counters.sh
	scripts/check-pages.sh

test-distributed: build ## Compare nearme-spark with one machine on Spark's local-cluster mode; installs Java and PySpark.
	@scripts/test-distributed.sh

check-pages: build ## Open the pages in a real Chromium, and look at them as people do.
	@scripts/check-pages.sh

check-door-pages: build ## Start a door on the sample, and use its pages in a real Chromium.
	@scripts/check-door-pages.sh $(nearme)

kills = 200

check-phones: build ## Drive days through the door of `nearme serve` as phones would, killing it; kills=20 for a short run.
	@swift build -c release --product phone-check
	@mkdir -p $(demo)
	@$(nearme) cache build data/port-ardent.osm.pbf -o $(demo)/port-ardent.sqlite >/dev/null
	@.build/release/phone-check --nearme $(nearme) --cache $(demo)/port-ardent.sqlite \
	  --reminders traces/reminders.json --kills $(kills) --keep .build/phone-check traces/errands.gpx.gz

requirements: setup ## Run the tests that name rows of docs/requirements.md, and print how many rows work.
	@swift build -c release --build-tests
	@rm -f .build/requirements*.xml
	@swift test -c release --skip-build --filter '(NM|CTX|YOMO|MOM|TODO)-[A-Z0-9]' \
	  --xunit-output .build/requirements.xml >.build/requirements.log 2>&1 || tail -n 40 .build/requirements.log
	@scripts/requirements.py .build/requirements.xml

additions: ## Add a trigger and a condition of a new kind to a copy of the sources, and try them.
	@scripts/additions.sh

docs: setup ## Make the documentation of the module NearMe, tutorial included, in .build/docs.
	@scripts/docs.sh

embedding: ## Build an app of its own that embeds the engine, in debug and release.
	@scripts/check-embedding.sh

core-location: ## Type-check the adapter for Core Location, run its host on made-up phones, and look for what iOS 17 lacks.
	@scripts/check-core-location.sh
	@scripts/check-oldest.sh

counters: setup ## Compare the work for each fix, which no machine changes, with Benchmarks/counters.json.
	@swift build -c release --product nearme-bench
	@scripts/counters.sh

lint: setup ## Check the format, and that the core stays pure; warnings fail the build itself.
	swift format lint --strict --recursive --parallel Sources Tests Benchmarks Fuzz Package.swift
	scripts/check-purity.sh

format: ## Format all sources in place.
	swift format --in-place --recursive --parallel Sources Tests Benchmarks Fuzz Package.swift

dist: setup ## Make a release in .build/dist: a tarball and a .deb, man pages and completions included.
	@scripts/dist.sh
	@scripts/check-dist.sh

deb: dist ## Make the Debian package; as root, install it here, run its service's command, and purge it again.
	@scripts/check-deb.sh

check-guide: dist ## As root: run every command of docs/serve.md with the package, from its installation to its removal.
	@scripts/check-guide.py .build/dist/nearme_*.deb

check-packaging: build ## Check the unit and the examples for proxies; drive a phone and live events through nginx.
	@scripts/check-packaging.sh

# Where nothing has been built, the demo does not wait for the door that it does not use, nor for an optimizer: the sample
# day takes half a second without. See docs/performance.md, "A first build".
demo_nearme = $(or $(wildcard $(nearme)),.build/quick/debug/nearme)
demo_flags = --scratch-path .build/quick --disable-index-store
demo: setup ## Build the sample cache, replay the sample day, print what a person would have seen.
	@if [ -x $(nearme) ]; then swift build -c release --product nearme; \
	  else NEARME_WITHOUT_DOOR=1 swift build $(demo_flags) --product nearme; fi
	@mkdir -p $(demo)
	@$(demo_nearme) cache build data/port-ardent.osm.pbf -o $(demo)/port-ardent.sqlite
	@echo
	@$(demo_nearme) replay traces/errands.gpx.gz --cache $(demo)/port-ardent.sqlite \
	  --reminders traces/reminders.json --policy traces/policy.yaml

day: build ## Make the page of the sample day, and open it.
	@mkdir -p $(demo)
	@$(nearme) cache build data/port-ardent.osm.pbf -o $(demo)/port-ardent.sqlite >/dev/null
	@$(nearme) explain traces/errands.gpx.gz --reminder meds --at 2026-03-03T14:30:46Z \
	  --cache $(demo)/port-ardent.sqlite --reminders traces/reminders.json --policy traces/policy.yaml \
	  --monitor ideal --basemap data/port-ardent.osm.pbf --open -o $(demo)/day.html

shared = ../shared/data

compare: build ## Compare ways to choose regions on the sample day, and on the corpora where there are any.
	@mkdir -p $(demo)
	@$(nearme) cache build data/port-ardent.osm.pbf -o $(demo)/port-ardent.sqlite >/dev/null
	$(nearme) compare traces/errands.gpx.gz --cache $(demo)/port-ardent.sqlite \
	  --reminders traces/reminders.json --monitors ideal,ios,android --slots 5,20 \
	  --report $(demo)/sample.html
	@for pair in corpus-dev-wide:us-virgin-islands corpus-dev:us-baltimore; do \
	  corpus=$(shared)/$${pair%%:*}; map=$(shared)/osm/$${pair##*:}.osm.pbf; \
	  [ -d $$corpus ] || { echo "no $$corpus: left out"; continue; }; \
	  $(nearme) cache build $$map -o $(demo)/$${pair##*:}.sqlite >/dev/null || exit; \
	  echo; echo "$$corpus"; \
	  $(nearme) compare $$corpus --cache $(demo)/$${pair##*:}.sqlite \
	    --monitors ideal,ios,android --slots 5,10,20,100 \
	    --report $(demo)/$${pair%%:*}.html || exit; \
	done; echo; echo "pages with a map: $(demo)/*.html"

scores: build ## Score the default and a plain radius on the development corpora, as each kind of phone sees them.
	@[ -d $(shared)/corpus-dev ] || { echo "no $(shared)/corpus-dev: make days with nearme simulate"; exit 1; }
	@mkdir -p $(demo)
	@$(nearme) cache build $(shared)/osm/us-baltimore.osm.pbf $(shared)/osm/us-virgin-islands.osm.pbf \
	  --no-dedup -o $(demo)/dev.sqlite >/dev/null
	@scripts/phone-scores.sh $(demo)/dev.sqlite $(shared)/corpus-dev $(shared)/corpus-dev-wide
	@for phone in ios android; do echo; echo "$$phone, the mean of eight draws:"; \
	  $(nearme) score $(shared)/corpus-dev $(shared)/corpus-dev-wide --cache $(demo)/dev.sqlite \
	    --monitor $$phone --draws 8 --no-ledger; done

tune: build ## Search for the best policy on the development corpora, where there are any.
	@[ -d $(shared)/corpus-dev ] || { echo "no $(shared)/corpus-dev: make days with nearme simulate"; exit 1; }
	@mkdir -p $(demo)
	@$(nearme) cache build $(shared)/osm/us-baltimore.osm.pbf $(shared)/osm/us-virgin-islands.osm.pbf \
	  --no-dedup -o $(demo)/dev.sqlite >/dev/null
	time $(nearme) tune $(shared)/corpus-dev $(shared)/corpus-dev-wide --cache $(demo)/dev.sqlite \
	  --monitor stream --space examples/space.yaml -o $(demo)/best.yaml --report $(demo)/tuning.html

bench: setup ## Measure what ships beside other tools, then fixes, GPX, POIs and nearest-of-category a second.
	@swift build -c release --product nearme
	@swift build -c release --product nearme-bench
	@CSV=1 SCORES=1 scripts/bench-whole.sh
	@echo
	@.build/release/nearme-bench
	@echo
	@scripts/bench-traces.sh

seconds = 15

bench-serve: build ## Measure `nearme serve`: fixes a second on one core, memory of 10,000 people, start; seconds=60 for long runs.
	@scripts/bench-serve.py $(nearme) $(seconds)

check-hostile: build ## Treat a door badly: slow clients, endless bodies, garbage; memory, a phone beside, silence in the logs.
	@scripts/check-hostile.py $(nearme)

check-qr: build ## Read the QR codes of `nearme phone add` back; needs Python's zxing-cpp and pillow.
	@scripts/check-qr.py $(nearme)

bench-sentences: setup ## Score sentences on phrases as people write them, beside dateparser and others; fuzz.
	@swift build -c release --product nearme
	@swift build -c release --product nearme-bench
	@python3 -m venv .build/peers && .build/peers/bin/pip install --quiet python-dateutil dateparser parsedatetime recurrent \
	  || echo "no network: the peers that are missing are left out"
	@.build/peers/bin/python scripts/sentence_peers.py $(nearme)
	@.build/release/nearme-bench sentences data/languages/en.yaml 1000000

check-recurrence: setup ## Compare 40,000 recurrence rules, and the time they take, with dateutil and others.
	@swift build -c release --product nearme
	@swift build -c release --product nearme-bench
	@scripts/check-recurrence.sh

fuzz_seconds = 600

fuzz: setup ## Feed each reader broken files; fuzz_seconds=60 for a short run (Linux).
	@scripts/fuzz.sh $(fuzz_seconds)

bench-page: build ## Measure the page of a day of 86,400 fixes in Chromium.
	@scripts/check-pages.sh bench

bench-cache: setup ## Measure `cache build` beside osmium, ogr2ogr and pyosmium.
	@swift build -c release --product nearme
	@swift build -c release --product nearme-bench
	@scripts/bench-cache.sh

samples: setup ## Make the sample map and the sample day anew (the same bytes every time).
	@swift run -c release make-samples .

golden: setup ## Accept the present output of the sample day; look at the diff before you commit it.
	UPDATE_GOLDEN=1 swift test -c release --filter GoldenTests

clean: ## Remove what was built.
	rm -rf .build
