.PHONY: build
STRICT = --config-settings editable_mode=strict
build:
	SFUMATO_NATIVE=1 .venv/bin/pip install --no-build-isolation -q -e '.[test,lint]' $(STRICT)
