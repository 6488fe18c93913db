"""Debian's chromium, without a window, for one stack."""

import contextlib
import os
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

LOAD_TIMEOUT = 60


def options_for(downloads, javascript, dark, width, height):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    # The sandbox needs a user that is not root and namespaces that containers may not have; nothing but the pages of
    # a stack of our own is loaded.
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--ignore-certificate-errors", "--no-first-run", "--disable-background-networking",
                     f"--window-size={width},{height}"):
        options.add_argument(argument)
    if dark:
        options.add_argument("--force-dark-mode")
        options.add_argument("--blink-settings=preferredColorScheme=0")
    else:
        options.add_argument("--blink-settings=preferredColorScheme=1")
    preferences = {"download.default_directory": downloads, "download.prompt_for_download": False}
    if not javascript:
        preferences["profile.managed_default_content_settings.javascript"] = 2
    options.add_experimental_option("prefs", preferences)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return options


@contextlib.contextmanager
def browser(javascript=True, dark=False, width=1280, height=900):
    """A driver with an empty profile; `driver.downloads` is the folder of its downloads."""
    with tempfile.TemporaryDirectory(prefix="goldsmith-web-", ignore_cleanup_errors=True) as folder:
        downloads = os.path.join(folder, "downloads")
        os.mkdir(downloads)
        options = options_for(downloads, javascript, dark, width, height)
        options.add_argument(f"--user-data-dir={folder}/profile")
        driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        driver.downloads = downloads
        driver.set_page_load_timeout(LOAD_TIMEOUT)
        # axe reads the longest page for as long on a busy machine.
        driver.set_script_timeout(2 * LOAD_TIMEOUT)
        try:
            yield driver
        finally:
            driver.quit()


def set_width(driver, width, height, scale=1):
    """The page's own width, which a window cannot have below 500 pixels."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 600})


KEYS = {"Tab": (9, ""), "Enter": (13, "\r"), " ": (32, " ")}


def press(driver, key, times=1):
    """Tab, Enter or the space bar, as from a keyboard."""
    code, text = KEYS[key]
    event = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": code}
    for _ in range(times):
        driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyDown", "text": text, **event})
        driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyUp", **event})
