# What is installed: the program with what it reads (scenarios, analysis/, schema), its manual and completions; headers for
# plug-ins; libraries for other projects. And the Debian package, of all but the libraries.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/Motley)
set(SHARED_FOLDER ${CMAKE_INSTALL_DATADIR}/motley)

# How plug-ins are compiled: as the program is. They link with nothing, since it has all they use.
add_library(motley_plugin INTERFACE)
target_link_libraries(motley_plugin INTERFACE motley_flags Eigen3::Eigen nlohmann_json::nlohmann_json Boost::headers)

# Made by the program itself, from the options of its commands.
set(MADE ${CMAKE_BINARY_DIR}/generated)
add_custom_command(OUTPUT ${MADE}/motley.1 ${MADE}/motley.bash ${MADE}/_motley
  COMMAND motley manual > ${MADE}/motley.1
  COMMAND motley completion bash > ${MADE}/motley.bash
  COMMAND motley completion zsh > ${MADE}/_motley
  DEPENDS motley VERBATIM)
add_custom_target(manual ALL DEPENDS ${MADE}/motley.1)

install(TARGETS motley motley_flags motley_plugin EXPORT MotleyPluginTargets RUNTIME COMPONENT program)
install(EXPORT MotleyPluginTargets NAMESPACE Motley:: DESTINATION ${PACKAGE_FOLDER} COMPONENT program)
install(FILES ${MADE}/motley.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${MADE}/motley.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME motley
  COMPONENT program)
install(FILES ${MADE}/_motley DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
install(DIRECTORY scenarios platforms DESTINATION ${SHARED_FOLDER} COMPONENT program)
install(DIRECTORY analysis DESTINATION ${SHARED_FOLDER} COMPONENT program
  PATTERN __pycache__ EXCLUDE PATTERN gallery EXCLUDE PATTERN gallery.py EXCLUDE PATTERN GALLERY.md EXCLUDE)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY sim algorithms DESTINATION include/motley COMPONENT program FILES_MATCHING PATTERN *.hpp)
install(FILES ${MADE}/motley_vocabulary.hpp DESTINATION include/motley COMPONENT program)
install(TARGETS ${MOTLEY_ROOMS} EXPORT MotleyTargets COMPONENT libraries)
install(EXPORT MotleyTargets NAMESPACE Motley:: DESTINATION ${PACKAGE_FOLDER} COMPONENT libraries)

configure_package_config_file(sim/MotleyConfig.cmake.in ${MADE}/MotleyConfig.cmake INSTALL_DESTINATION ${PACKAGE_FOLDER})
write_basic_package_version_file(${MADE}/MotleyConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${MADE}/MotleyConfig.cmake ${MADE}/MotleyConfigVersion.cmake DESTINATION ${PACKAGE_FOLDER} COMPONENT program)

# The same from the build folder, so that plug-ins can be built without an installation: -DMotley_DIR=<build>/cmake.
target_include_directories(motley_plugin INTERFACE $<BUILD_INTERFACE:${MADE}>)
export(EXPORT MotleyPluginTargets NAMESPACE Motley:: FILE ${CMAKE_BINARY_DIR}/cmake/MotleyPluginTargets.cmake)
configure_file(${MADE}/MotleyConfig.cmake ${CMAKE_BINARY_DIR}/cmake/MotleyConfig.cmake COPYONLY)
configure_file(${MADE}/MotleyConfigVersion.cmake ${CMAKE_BINARY_DIR}/cmake/MotleyConfigVersion.cmake COPYONLY)

# cpack -G DEB: motley_VERSION_ARCH.deb. What the program is linked with is found by dpkg-shlibdeps.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME motley)
set(CPACK_PACKAGE_VENDOR Motley)
set(CPACK_PACKAGE_CONTACT "The Motley authors <motley@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator of distributed SGD on uneven clusters")
set(CPACK_PACKAGE_DESCRIPTION "Node speeds and contended links in virtual time (SimGrid), the gradients for real.
 It answers which algorithm reaches an accuracy first on a cluster, by how much, and why.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME motley)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "dataset-fashion-mnist, python3-matplotlib, python3-pandas, libjs-chart.js")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
  "g++, cmake, ninja-build, libeigen3-dev, nlohmann-json3-dev, libboost-dev, librandom123-dev")
include(CPack)
